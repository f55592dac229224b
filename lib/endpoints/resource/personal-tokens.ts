import { capability } from '../../contracts/capability.js';
import { InvalidTokenError, type OAuthError } from '../../errors/index.js';
import type { Request } from '../../http/request.js';
import type { Awaitable, Falsy, Token } from '../../model/model.js';
import type { TokenRequirements } from '../../options/token-requirements.js';
import type { Requirement } from './requirement.js';

/** Finds the personal access tokens of a server. */
export interface PersonalTokenSource {
  /** Whether a text has the prefix and the length of a personal access token. It must be fast. */
  matches(value: string): boolean;
  /**
   * Finds a personal access token, and records its use.
   * @param request The request that presents the token. If omitted, nothing is recorded.
   */
  find(value: string, request?: Request): Awaitable<Token | Falsy>;
}

/** The capability key of the personal access tokens of a server. */
export const PERSONAL_TOKEN_SOURCE = capability<PersonalTokenSource>('personal access tokens', 'personalAccessTokens');

/**
 * The value of the member `token_use` of personal access tokens, also in introspection responses. So APIs that verify
 * tokens by introspection treat them alike.
 */
export const PERSONAL_TOKEN_USE = 'personal_access_token';

/** Whether a token is a personal access token, of this server or of one that it introspects. */
export const isPersonalToken = (token: Token): boolean => token['token_use'] === PERSONAL_TOKEN_USE;

/** Whether personal access tokens may be accepted: only where the route requires a scope, and does not refuse them. */
export const acceptsPersonalTokens = (
  { anyScope, personalTokens = true }: TokenRequirements,
  scope: string | undefined,
): boolean => personalTokens && Boolean(scope ?? anyScope);

/** The requirement that the token is no personal access token. */
export const NO_PERSONAL_TOKEN: Requirement = {
  scope: undefined,
  isMet: (token) => !isPersonalToken(token),
  createError: personalTokenError,
};

/** Returns the error for a personal access token at a route that does not accept any. The token is not looked up. */
export function personalTokenError(): OAuthError {
  return new InvalidTokenError('Invalid token: personal access tokens are not accepted here').because({
    reason: 'personal access tokens are accepted only on routes that require a scope and lack `@NoPersonalTokens()`',
    remedy: 'send an access token of a client, or add `@Scopes()` with a scope to the route',
  });
}
