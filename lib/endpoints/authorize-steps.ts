import { InvalidArgumentError, InvalidRequestError, type OAuthError, toOAuthError } from '../errors.js';
import type { ServerFacts } from '../feature.js';
import { CodeResponseType } from '../features/authorization-code/code-response.js';
import { FORM_OR_URL, Parameters } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { AuthorizationCode, Awaitable, Token, User } from '../model/model.js';
import { requireMethods } from '../model/require-methods.js';
import { answerError } from '../operation.js';
import type { Options } from '../options/settle.js';
import { readAuthorizationRequest } from '../response-types/authorization-request.js';
import { findDestination, findResponseType, verifyAllowed } from '../response-types/destination.js';
import type { AuthorizationRequest, Decision, ResponseTypeClass } from '../response-types/response-type.js';
import { lifetime } from '../tokens/lifetime.js';
import { approveScope, scopeText, verifyClientScope, withinScope } from '../tokens/scope.js';
import { type Course, redirect, tellBrowser, tellClient } from './authorize-answer.js';
import { reportGranted, userDenied } from './authorize-events.js';
import { resolveRequest } from './authorize-resolve.js';

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
    const { options } = this;
    let request = sent;
    const refuse = (error: unknown): never => {
      const failure = denied ? userDenied() : toOAuthError(error);
      throw tellBrowser(options, { error: failure, request, response, denied });
    };
    const resolved = await resolveRequest(sent, this.server).catch(refuse);
    request = resolved.request;
    const wanted = findResponseType(request, this.server.responseTypes);
    this.verifyServed(wanted ?? CodeResponseType, response);
    const destination = await findDestination(request, options).catch(refuse);
    const issuer = options.issuer ?? this.server.issuerOf(sent);
    const course: Course = { ...resolved, ...destination, issuer };
    if (!denied) {
      await this.answering(course, response, () => verifyAllowed(wanted, course.client, this.server.responseTypes));
    }
    return course;
  }

  /** Reads and checks the rest. */
  read(course: Course, response: Response): Promise<AuthorizationRequest> {
    return this.answering(course, response, async () => {
      const { options, server } = this;
      const asked = readAuthorizationRequest(course, { options, types: server.responseTypes });
      const { ask } = server.hooks;
      if (ask.length > 0) {
        const parameters = new Parameters(course.request, FORM_OR_URL);
        for (const feature of ask) Object.assign(asked.data, await feature.ask(parameters, asked, server));
      }
      course.scope = asked.scope;
      return (course.asked = asked);
    });
  }

  /** Asks the model whether the client may ask for the scope at all, before anybody has to sign in. */
  verifyScope(course: Course, response: Response): Promise<void> {
    return this.answering(course, response, () => verifyClientScope(this.options, course));
  }

  /** What of the scope this user would be granted: the model is asked once. */
  async grantableScope(course: Course, user: User, response: Response): Promise<string | undefined> {
    const { client, scope } = course;
    if (course.grantable?.user !== user) {
      course.user = user;
      course.grantable = await this.answering(course, response, async () => {
        return { user, scope: await approveScope(this.options, { client, user, scope }) };
      });
    }
    return course.grantable.scope;
  }

  /** Answers the request as it was decided. */
  async decide(course: Course, decision: Decision, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    if (decision.error) {
      await this.spend(course, response);
      const error = toOAuthError(decision.error);
      Object.assign(course, { user: decision.user, denied: error.name === 'access_denied' });
      throw this.refuse(course, response, error);
    }
    const { user, scope } = decision;
    if (!user) throw this.refuse(course, response, new InvalidArgumentError(UNDECIDED));
    const most = await this.grantableScope(course, user, response);
    await this.spend(course, response);
    course.asked!.scope = scope === undefined ? most : scopeText(withinScope(most, scope));
    return await this.answering(course, response, () => this.grant(course.asked!, user, { course, response }));
  }

  private async grant(
    asked: AuthorizationRequest,
    user: User,
    { course, response }: { course: Course; response: Response },
  ): Promise<Partial<AuthorizationCode> | Token> {
    const { options, server } = this;
    const ResponseType = server.responseTypes.get(asked.responseType)!;
    const answer = await new ResponseType(options).handle(asked, user);
    for (const feature of server.hooks.answer) await feature.answer(asked, user, answer.parameters);
    redirect(response, course, { mode: asked.responseMode, state: asked.state, parameters: answer.parameters });
    if (options.events) reportGranted(options.events, asked, { user, answer });
    return answer.result;
  }

  /** A request that is good for one decision is spent by it, before anything is issued. RFC 9126 §7.3 */
  private async spend(course: Course, response: Response): Promise<void> {
    if (!course.spend || (await this.answering(course, response, () => course.spend!()))) return;
    // To the client the first answer is the answer: another one would contradict it.
    const rule = 'a request that came from elsewhere is decided once';
    const error = new InvalidRequestError('Invalid request: it was answered before').because({ rule });
    throw tellBrowser(this.options, { ...course, error, response });
  }

  /** Whatever the request is like, a model that lacks methods is a fault of the host. */
  private verifyServed(ResponseType: ResponseTypeClass, response: Response): void {
    if (this.served.has(ResponseType)) return;
    try {
      requireMethods(this.options.model, ResponseType.requires);
      this.served.add(ResponseType);
    } catch (error) {
      throw answerError(response, toOAuthError(error));
    }
  }

  /** Takes a step; if it fails, that is the answer. */
  private async answering<T>(course: Course, response: Response, step: () => Awaitable<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw this.refuse(course, response, toOAuthError(error));
    }
  }

  private refuse(course: Course, response: Response, error: OAuthError): OAuthError {
    return tellClient(this.options, this.server.responseTypes, { error, course, response });
  }
}

const UNDECIDED = 'Invalid argument: a decision has a `user` who agreed, or an `error`';
