import type { OAuthError } from '../../errors/index.js';
import type { Awaitable, Falsy, Token } from '../../model/model.js';

/** A requirement that a valid access token must meet before the request is accepted, such as a scope or a role. */
export interface Requirement {
  /**
   * The scope for the challenge and for the header `X-Accepted-OAuth-Scopes`. `undefined` if more scope values would
   * not help. RFC 6750 §3
   */
  readonly scope: string | undefined;
  /** Whether the token meets the requirement. The result is a promise only if the model returns one. */
  isMet(token: Token): Awaitable<boolean | Falsy>;
  /** Returns the error for a token that does not meet the requirement. */
  createError(token: Token): OAuthError;
}
