import { InvalidArgumentError, type OAuthError, toOAuthError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Resolved } from '../../contracts/resolved.js';
import { CodeResponseType } from '../../features/authorization-code/code-response.js';
import { isSelfRegistered } from '../../clients/registration/self-registered.js';
import { FORM_OR_URL, Parameters } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { AuthorizationCode, Token, User } from '../../model/model.js';
import { requireMethods } from '../../model/require-methods.js';
import { Served } from '../../model/served.js';
import type { Options } from '../../options/settle.js';
import { readAuthorizationRequest } from './authorization-request.js';
import { findDestination, findResponseType, verifyAllowed } from './destination.js';
import type { Need, Presence } from '../../contracts/required-interaction.js';
import type { AuthorizationRequest, Decision, ResponseTypeClass } from '../../contracts/response-type.js';
import { lifetime } from '../../tokens/lifetime.js';
import { keptOf } from '../../tokens/signed-in.js';
import type { TokenFormat } from '../../contracts/token-format.js';
import { verifyClientScope } from '../../tokens/scope.js';
import { approve, grantable } from './authorize-approve.js';
import { Course, sendGranted, tellBrowser, tellClient } from './authorize-answer.js';
import { mayRedirectError } from './authorize-deferred.js';
import { answeredBefore, reportGranted, userDenied } from './authorize-events.js';
import { findNeed } from './authorize-need.js';
import { resolveRequest } from './authorize-resolve.js';
import { formatOf } from '../token/format-of.js';

/** The steps of an authorization, each taken once, with room for the user's answer in between. RFC 6749 §4.1.1, §4.1.2 */
export class AuthorizeSteps {
  private readonly served: Served;
  private readonly format: TokenFormat | undefined;

  constructor(
    readonly options: Options,
    readonly server: ServerContext,
  ) {
    this.format = formatOf(server);
    this.served = new Served(options.model);
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
      if (server.hooks.authorization.resolve.length > 0) resolved = await resolveRequest(sent, server);
      const request = resolved?.request ?? sent;
      wanted = findResponseType(request, server.responseTypes);
      this.served.verify(wanted ?? CodeResponseType);
      course = new Course(request, await findDestination(request, options, server), server.issuerOf(sent));
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
      // The error of a self-registered client has to wait for its user: `read()` checks that client.
      if (!denied && !isSelfRegistered(course.client)) verifyAllowed(wanted, course.client, server.responseTypes);
      return course;
    } catch (error) {
      throw await this.refuse(course, response, error);
    }
  }

  /** Reads and checks the rest. */
  async read(course: Course, response: Response): Promise<AuthorizationRequest> {
    const { options, server } = this;
    const { read } = server.hooks.authorization;
    try {
      if (isSelfRegistered(course.client)) {
        verifyAllowed(findResponseType(course.request, server.responseTypes), course.client, server.responseTypes);
      }
      const asked = readAuthorizationRequest(course, { options, server });
      course.asked = asked;
      course.scope = asked.scope;
      const parameters = new Parameters(course.request, FORM_OR_URL);
      for (const hook of read) Object.assign(asked.data, await hook(parameters, asked));
      course.isValid = true;
      return asked;
    } catch (error) {
      throw await this.refuse(course, response, error);
    }
  }

  /** Verifies that the client may request the scope, before a user has to sign in. @returns the scope without ignored values */
  async verifyScope(course: Course, response: Response): Promise<string | undefined> {
    try {
      course.scope = await verifyClientScope(this.options, course, this.server.ignorableScopes);
      if (course.asked) course.asked.scope = course.scope;
      return course.scope;
    } catch (error) {
      course.isValid = false;
      throw await this.refuse(course, response, error);
    }
  }

  /** What of the scope this user would be granted: the model is asked once. */
  async grantableScope(course: Course, user: User, response: Response): Promise<string | undefined> {
    course.user = user;
    try {
      return await grantable(course, user, this);
    } catch (error) {
      throw await this.refuse(course, response, error);
    }
  }

  /** What features want to happen before it is decided. */
  async needed(course: Course, presence: Presence, response: Response): Promise<Need> {
    course.user = presence.user;
    try {
      // What is no moment is told to the host before anything is judged by it.
      if (presence.signIn) keptOf(presence.signIn);
      return await findNeed(course, presence, this.server);
    } catch (error) {
      throw await this.refuse(course, response, error);
    }
  }

  /** Answers the request as it was decided. */
  async decide(course: Course, decision: Decision, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    const { client, resolved } = course;
    const { user, error } = decision;
    course.user = user;
    try {
      await approve(course, decision, this);
      // All that can fail without the store is done: what is good for one decision is spent now. RFC 9126 §7.3
      if (!resolved?.spend || (await resolved.spend())) {
        if (!error) return await this.grant(course, user, response);
        course.denied = error.name === 'access_denied';
        throw error;
      }
    } catch (failure) {
      throw await this.refuse(course, response, failure);
    }
    const { request, issuer } = course;
    throw tellBrowser(this.options, { error: answeredBefore(), request, response, client, user, issuer });
  }

  private async grant(course: Course, user: User, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    const { options, server } = this;
    const asked = course.asked!;
    const ResponseType = server.responseTypes.get(asked.responseType)!;
    const answer = await new ResponseType(options, server).handle(asked, user, this.format);
    for (const respond of server.hooks.authorization.respond) await respond(asked, user, answer.parameters);
    await sendGranted(response, course, answer.parameters, server);
    if (options.events) reportGranted(options.events, asked, { user, answer });
    return answer.result;
  }

  /** Returns the error to the client, or renders it as an error page where a redirect is not allowed yet. */
  protected async refuse(course: Course, response: Response, thrown: unknown): Promise<OAuthError> {
    const { options, server } = this;
    const error = toOAuthError(thrown);
    if (mayRedirectError(course, server)) return tellClient(options, server, { error, course, response });
    const { client, request, issuer } = course;
    // A handler may have sent the browser to its login page by then.
    delete response.headers['location'];
    return tellBrowser(options, { error, request, response, client, issuer });
  }
}
