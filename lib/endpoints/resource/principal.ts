import { UnauthorizedRequestError } from '../../errors/index.js';
import type { Request } from '../../http/request.js';
import type { Awaitable, Token } from '../../model/model.js';
import { shareLookUp } from './shared-look-ups.js';

/** Finds the principal of a request without an access token, such as the user of a login session. */
export interface PrincipalSource {
  /** An object that exists as long as the server. Guarded handlers of one native request share look-ups by it. */
  readonly owner: object;
  /**
   * Returns the principal: a token without `accessToken` and `client`.
   * @throws {UnauthorizedRequestError} If the request has no valid session.
   */
  find(): Awaitable<Token>;
}

/** Returns the error of a request that has neither an access token nor a session. */
export const noAuthentication = (): UnauthorizedRequestError =>
  new UnauthorizedRequestError('Unauthorized request: no authentication given').because(NO_TOKEN);

const NO_TOKEN = {
  reason: 'request contains no access token',
  remedy: 'send `Authorization: Bearer <token>`, or add `@Public()` of this package to a route that everybody may call',
};

const sources = new WeakMap<Request, PrincipalSource>();
const principals = new WeakSet<object>();

/**
 * Lets `authenticate()` accept a request without an access token, if its principal meets the requirements. A request
 * with an access token, valid or not, is decided by the token alone.
 */
export function authenticateBy(request: Request, source: PrincipalSource): void {
  sources.set(request, source);
}

/**
 * Returns the principal of a request without an access token.
 * @throws {UnauthorizedRequestError} If the request has none.
 */
export async function findPrincipal(request: Request): Promise<Token> {
  const source = sources.get(request);
  if (!source) throw noAuthentication();
  const principal = await shareLookUp(request, source.owner, 'principal', () => source.find());
  principals.add(principal as Token);
  return principal as Token;
}

/** Whether `authenticate()` has returned this token for a request without an access token. */
export const isPrincipal = (token: object): boolean => principals.has(token);
