import { InvalidArgumentError, InvalidRequestError, type OAuthError, toOAuthError } from '../errors.js';
import type { ServerFacts } from '../feature.js';
import type { Resolved } from '../response-types/resolved.js';
import { CodeResponseType } from '../features/authorization-code/code-response.js';
import { FORM_OR_URL, Parameters } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { AuthorizationCode, Token, User } from '../model/model.js';
import { requireMethods } from '../model/require-methods.js';
import type { Options } from '../options/settle.js';
import { readAuthorizationRequest } from '../response-types/authorization-request.js';
import { findDestination, findResponseType, verifyAllowed } from '../response-types/destination.js';
import type { AuthorizationRequest, Decision, ResponseTypeClass } from '../response-types/response-type.js';
import { lifetime } from '../tokens/lifetime.js';
import { approveScope, scopeText, verifyClientScope, withinScope } from '../tokens/scope.js';
import { Course, redirect, tellBrowser, tellClient } from './authorize-answer.js';
import { reportGranted, userDenied } from './authorize-events.js';
import { resolveRequest } from './authorize-resolve.js';
import { formatOf } from './format-of.js';

/** The steps of an authorization, each taken once, with room for the user's answer in between. RFC 6749 §4.1.1, §4.1.2 */
export class AuthorizeSteps {
  /** Those that the model was found able to serve. */
  private readonly served = new Set<ResponseTypeClass>();

  constructor(
    private readonly options: Options,
    private readonly server: ServerFacts,
  ) {
    lifetime(options.authorizationCodeLifetime, 'authorizationCodeLifetime');
    requireMethods(options.model, ['getClient']);
  }

  /** Finds out who asks, and where the answer may go: until that is known, nothing is redirected. */
  async open(sent: Request, response: Response, denied = false): Promise<Course> {
    const { options, server } = this;
    let resolved: Resolved | undefined;
    let wanted: ResponseTypeClass | undefined;
    let course: Course;
    try {
      if (server.hooks.resolve.length > 0) resolved = await resolveRequest(sent, server);
      const request = resolved?.request ?? sent;
      wanted = findResponseType(request, server.responseTypes);
      this.verifyServed(wanted ?? CodeResponseType);
      const destination = await findDestination(request, options, server);
      course = new Course(request, destination, server.issuerOf(sent));
      course.resolved = resolved;
    } catch (error) {
      // Whatever the user says, a model that lacks a method is a fault of the host.
      const failure = denied && !(error instanceof InvalidArgumentError) ? userDenied() : toOAuthError(error);
      throw tellBrowser(options, {
        error: failure,
        request: resolved?.request ?? sent,
        response,
        denied,
        issuer: server.issuerOf(sent),
      });
    }
    try {
      if (!denied) verifyAllowed(wanted, course.client, server.responseTypes);
      return course;
    } catch (error) {
      throw this.refuse(course, response, error);
    }
  }

  /** Reads and checks the rest. */
  async read(course: Course, response: Response): Promise<AuthorizationRequest> {
    const { options, server } = this;
    const { ask } = server.hooks;
    try {
      const asked = readAuthorizationRequest(course, { options, types: server.responseTypes });
      course.asked = asked;
      course.scope = asked.scope;
      if (ask.length === 0) return asked;
      const parameters = new Parameters(course.request, FORM_OR_URL);
      for (const feature of ask) Object.assign(asked.data, await feature.ask(parameters, asked, server));
      return asked;
    } catch (error) {
      throw this.refuse(course, response, error);
    }
  }

  /** Asks the model whether the client may ask for the scope at all, before anybody has to sign in. */
  async verifyScope(course: Course, response: Response): Promise<void> {
    try {
      await verifyClientScope(this.options, course);
    } catch (error) {
      throw this.refuse(course, response, error);
    }
  }

  /** What of the scope this user would be granted: the model is asked once. */
  async grantableScope(course: Course, user: User, response: Response): Promise<string | undefined> {
    if (course.grantable?.user === user) return course.grantable.scope;
    const { client, scope } = course;
    course.user = user;
    try {
      course.grantable = { user, scope: await approveScope(this.options, { client, user, scope }) };
      return course.grantable.scope;
    } catch (error) {
      throw this.refuse(course, response, error);
    }
  }

  /** Answers the request as it was decided. */
  async decide(course: Course, decision: Decision, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    const { client, scope, grantable, resolved } = course;
    const { user, error } = decision;
    course.user = user;
    try {
      if (!user && !error) throw new InvalidArgumentError(UNDECIDED);
      if (user && !error) {
        const isKnown = grantable?.user === user;
        const most = isKnown ? grantable.scope : await approveScope(this.options, { client, user, scope });
        course.asked!.scope = decision.scope === undefined ? most : scopeText(withinScope(most, decision.scope));
      }
      // All that can fail without the store is done: what is good for one decision is spent now. RFC 9126 §7.3
      if (!resolved?.spend || (await resolved.spend())) {
        if (!error) return await this.grant(course, user, response);
        course.denied = error.name === 'access_denied';
        throw error;
      }
    } catch (failure) {
      throw this.refuse(course, response, failure);
    }
    // To the client the first answer is the answer: another one would contradict it.
    const rule = 'a request that came from elsewhere is decided once';
    const again = new InvalidRequestError('Invalid request: it was answered before').because({ rule });
    const { request } = course;
    throw tellBrowser(this.options, { error: again, request, response, client, user, issuer: course.issuer });
  }

  private async grant(course: Course, user: User, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    const { options, server } = this;
    const asked = course.asked!;
    const ResponseType = server.responseTypes.get(asked.responseType)!;
    const answer = await new ResponseType(options).handle(asked, user, formatOf(server));
    const { parameters } = answer;
    for (const feature of server.hooks.answer) await feature.answer(asked, user, parameters);
    redirect(response, course, { mode: asked.responseMode, state: asked.state, parameters });
    if (options.events) reportGranted(options.events, asked, { user, answer });
    return answer.result;
  }

  private verifyServed(ResponseType: ResponseTypeClass): void {
    if (this.served.has(ResponseType)) return;
    requireMethods(this.options.model, ResponseType.requires);
    this.served.add(ResponseType);
  }

  private refuse(course: Course, response: Response, error: unknown): OAuthError {
    return tellClient(this.options, this.server.responseTypes, { error: toOAuthError(error), course, response });
  }
}

const UNDECIDED = 'Invalid argument: a decision has a `user` who agreed, or an `error`';
