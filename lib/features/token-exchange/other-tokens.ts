import { collectedCapability } from '../../contracts/capability.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import type { Awaitable, Scope } from '../../model/model.js';
import type { ExchangeRequest, ForeignToken, VerifiedToken } from './exchange-model.js';

/** A token issued by a token exchange that is not an access token. RFC 8693 §2.2.1 */
export interface IssuedToken {
  value: string;
  expiresAt: Date;
  scope?: Scope;
}

/**
 * A function that issues a token that is not an access token. It may read further parameters of the request.
 * @throws {OAuthError} To refuse the request.
 */
export type TokenIssuer = (
  exchange: Omit<ExchangeRequest, 'resource'>,
  request: ClientRequest,
) => Awaitable<IssuedToken>;

/** Foreign tokens that a feature reads, and other kinds of tokens that it issues, for `tokenExchange()`. */
export interface OtherTokens {
  /**
   * Verifies a foreign token that a client presents, and returns its properties. Returns `undefined` if the feature
   * does not support such tokens.
   * @throws {OAuthError} If the feature supports such tokens and this one is invalid.
   */
  readonly read?: (token: ForeignToken, request: ClientRequest) => Awaitable<VerifiedToken | undefined>;
  /** Functions that issue tokens, by the requested token type. RFC 8693 §3 */
  readonly issues?: Readonly<Record<string, TokenIssuer>>;
}

/**
 * The capability key under which features contribute readers of foreign tokens and issuers of other tokens to
 * `tokenExchange()`.
 */
export const OTHER_TOKENS = collectedCapability<OtherTokens>('other tokens');

/** The combined readers and issuers that features contribute under `OTHER_TOKENS`. */
export interface KnownTokens {
  read(token: ForeignToken, request: ClientRequest): Promise<VerifiedToken | undefined>;
  readonly canRead: boolean;
  readonly issuers: ReadonlyMap<string, TokenIssuer>;
}

/**
 * Combines the readers and issuers of several features. The readers are called in order, until one
 * returns a verified token.
 */
export function combineTokens(all: readonly OtherTokens[]): KnownTokens {
  const readers = all.flatMap(({ read }) => read ?? []);
  return {
    canRead: readers.length > 0,
    issuers: new Map(all.flatMap(({ issues = {} }) => Object.entries(issues))),
    async read(token, request) {
      for (const read of readers) {
        const verified = await read(token, request);
        if (verified) return verified;
      }
      return undefined;
    },
  };
}
