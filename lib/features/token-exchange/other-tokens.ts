import { collectedCapability } from '../../contracts/capability.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import type { Awaitable, Scope } from '../../model/model.js';
import type { ExchangeRequest, ForeignToken, VerifiedToken } from './exchange-model.js';

/** What was issued in exchange, and is no access token. RFC 8693 §2.2.1 */
export interface IssuedToken {
  value: string;
  expiresAt: Date;
  scope?: Scope;
}

/**
 * Issues a token that is not an access token. It may read further parameters of the request.
 * @throws {OAuthError} To refuse the request.
 */
export type TokenIssuer = (
  exchange: Omit<ExchangeRequest, 'resource'>,
  request: ClientRequest,
) => Awaitable<IssuedToken>;

/** Tokens other than those of this server that a feature reads or issues for `tokenExchange()`. */
export interface OtherTokens {
  /**
   * Reads a token that a client presents. Returns undefined if the feature does not know such tokens.
   * @throws {OAuthError} If it knows such tokens and refuses this one.
   */
  readonly read?: (token: ForeignToken, request: ClientRequest) => Awaitable<VerifiedToken | undefined>;
  /** What it issues, by the type that is requested. RFC 8693 §3 */
  readonly issues?: Readonly<Record<string, TokenIssuer>>;
}

/** Tokens other than those of this server. Features contribute them, and `tokenExchange()` reads and issues them. */
export const OTHER_TOKENS = collectedCapability<OtherTokens>('other tokens');

/** What all features of a server contribute under `OTHER_TOKENS`. */
export interface KnownTokens {
  read(token: ForeignToken, request: ClientRequest): Promise<VerifiedToken | undefined>;
  readonly canRead: boolean;
  readonly issuers: ReadonlyMap<string, TokenIssuer>;
}

/** Returns readers and issuers of several features as one. The first reader that knows a token decides. */
export function combineTokens(all: readonly OtherTokens[]): KnownTokens {
  const readers = all.flatMap(({ read }) => read ?? []);
  return {
    canRead: readers.length > 0,
    issuers: new Map(all.flatMap(({ issues = {} }) => Object.entries(issues))),
    async read(token, request) {
      for (const read of readers) {
        const found = await read(token, request);
        if (found) return found;
      }
      return undefined;
    },
  };
}
