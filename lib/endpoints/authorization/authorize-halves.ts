import { InvalidArgumentError, type OAuthError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { AuthorizationCode, Token, User } from '../../model/model.js';
import { observe } from '../observed.js';
import { answerError, verifyWrappers } from '../operation.js';
import { OperationCache } from '../operation-cache.js';
import type { AuthorizeOptions } from '../../options/options.js';
import type { Need, Presence } from '../../contracts/required-interaction.js';
import type { AuthorizationRequest, Decision } from '../../contracts/response-type.js';
import type { Course } from './authorize-answer.js';
import { defer, isSilent, mayRedirectError, unreadRequest } from './authorize-deferred.js';
import { AuthorizeSteps } from './authorize-steps.js';

/** An authorization in two halves, for hosts that ask their user in between: read, then decided. RFC 6749 §4.1.1 */
export class AuthorizeHalves {
  private readonly operations: OperationCache<AuthorizeSteps>;
  private readonly underWay = new WeakMap<AuthorizationRequest, UnderWay>();

  constructor(private readonly server: ServerContext) {
    this.operations = new OperationCache(AuthorizeSteps, server);
  }

  read(
    request: Request,
    response: Response,
    given: AuthorizeOptions & { user?: User } = {},
  ): Promise<AuthorizationRequest> {
    const { server } = this;
    return observe({ name: 'authorize.read', request, server }, () => this.open(request, response, given));
  }

  private async open(
    request: Request,
    response: Response,
    given: AuthorizeOptions & { user?: User },
  ): Promise<AuthorizationRequest> {
    const { user, ...options } = given;
    const steps = this.operations.with(Object.keys(options).length > 0 ? options : undefined, response);
    verifyWrappers(request, response);
    const course = await steps.open(request, response);
    course.user = user;
    try {
      const asked = copyOf(await steps.read(course, response));
      this.underWay.set(asked, { steps, course });
      if (user) asked.scope = await this.grantableScope(asked, user, response);
      else asked.scope = await steps.verifyScope(course, response);
      return asked;
    } catch (error) {
      this.defer(error as OAuthError, { steps, course });
      throw error;
    }
  }

  /** Keeps an invalid request whose error was not returned to the client: `decide()` may do so once the user is authenticated. */
  private defer(error: OAuthError, { steps, course }: UnderWay): void {
    if (mayRedirectError(course, this.server)) return;
    const asked = copyOf(unreadRequest(course));
    this.underWay.set(asked, { steps, course });
    defer(error, { asked, silent: isSilent(course, this.server) });
  }

  async grantableScope(asked: AuthorizationRequest, user: User, response: Response): Promise<string | undefined> {
    const { steps, course } = this.find(asked, response);
    const scope = await steps.grantableScope(course, user, response);
    Object.assign(asked.data, course.asked!.data);
    return scope;
  }

  async needed(asked: AuthorizationRequest, presence: Presence, response: Response): Promise<Need> {
    const { steps, course } = this.find(asked, response);
    return this.server.hooks.authorization.requireInteraction.length > 0
      ? await steps.needed(course, presence, response)
      : {};
  }

  async decide(
    asked: AuthorizationRequest,
    decision: Decision,
    response: Response,
  ): Promise<Partial<AuthorizationCode> | Token> {
    const { steps, course } = this.find(asked, response);
    const { request } = course;
    return await observe({ name: 'authorize.decide', request, server: this.server }, () =>
      steps.decide(course, decision ?? {}, response),
    );
  }

  private find(asked: AuthorizationRequest, response: Response): { steps: AuthorizeSteps; course: Course } {
    const found = this.underWay.get(asked);
    if (!found) throw answerError(response, new InvalidArgumentError(UNKNOWN));
    verifyWrappers(asked.request, response);
    return found;
  }
}

interface UnderWay {
  steps: AuthorizeSteps;
  course: Course;
}

/** What a host does to its copy changes nothing of what is decided, and a session can keep it. */
function copyOf({ request, data, ...asked }: AuthorizationRequest): AuthorizationRequest {
  return Object.defineProperty({ ...asked, data: { ...data } }, 'request', { value: request }) as AuthorizationRequest;
}

const UNKNOWN =
  'Invalid argument: what is decided is the very object that `readAuthorizationRequest()` of this server resolved to';
