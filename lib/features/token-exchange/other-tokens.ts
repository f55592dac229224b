import type { ClientRequest } from '../../contracts/client-request.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { Awaitable, Scope } from '../../model/model.js';
import type { ExchangeRequest, ForeignToken, VerifiedToken } from './exchange-model.js';

/** What was issued in exchange, and is no access token. RFC 8693 §2.2.1 */
export interface IssuedToken {
  value: string;
  expiresAt: Date;
  scope?: Scope;
}

/** Issues what is no access token. It reads what it needs of the request, and says no by an OAuthError. */
export type TokenIssuer = (
  asked: Omit<ExchangeRequest, 'resource'>,
  exchange: ClientRequest,
  server: ServerContext,
) => Awaitable<IssuedToken>;

/** A feature that knows other tokens than those of this server, which `tokenExchange()` then takes and issues. */
export interface OtherTokens extends Feature {
  readonly otherTokens: {
    /** Reads a token that is brought; undefined: it is none of those that it knows. Throws an OAuthError to refuse one that is. */
    read?: (
      token: ForeignToken,
      exchange: ClientRequest,
      server: ServerContext,
    ) => Awaitable<VerifiedToken | undefined>;
    /** What it issues, by the type that is requested. RFC 8693 §3 */
    issues?: Readonly<Record<string, TokenIssuer>>;
  };
}

/** One that knows its server. */
export type BoundIssuer = (asked: ExchangeRequest, exchange: ClientRequest) => Awaitable<IssuedToken>;

/** What the features of a server know of other tokens. */
export interface KnownTokens {
  read(token: ForeignToken, exchange: ClientRequest): Promise<VerifiedToken | undefined>;
  readonly isReading: boolean;
  readonly issuers: ReadonlyMap<string, BoundIssuer>;
}

export function otherTokensOf(server: ServerContext): KnownTokens {
  const known = server.features.filter((one): one is OtherTokens => 'otherTokens' in one).map((one) => one.otherTokens);
  const readers = known.flatMap(({ read }) => read ?? []);
  const issues = known.flatMap((one) => Object.entries(one.issues ?? {}));
  return {
    isReading: readers.length > 0,
    issuers: new Map(issues.map(([type, issue]) => [type, (asked, exchange) => issue(asked, exchange, server)])),
    async read(token, exchange) {
      for (const read of readers) {
        const found = await read(token, exchange, server);
        if (found) return found;
      }
      return undefined;
    },
  };
}
