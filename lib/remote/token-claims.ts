import { clientItself } from '../tokens/client-subject.js';
import { InvalidTokenError, type RefusalDetail } from '../errors/index.js';
import type { CoreClient, Scope, Token, User } from '../model/model.js';
import { isAmong } from '../tokens/audience.js';
import { jktOf } from '../tokens/confirmation.js';
import { FOREVER } from '../tokens/lifetime.js';

/** The claims of a token, from an introspection response or from the token itself. RFC 7662 §2.2, RFC 9068 §2.2 */
export interface TokenClaims {
  readonly client_id?: string;
  readonly sub?: string;
  readonly username?: string;
  readonly scope?: Scope;
  readonly exp?: number;
  readonly token_type?: string;
  readonly iss?: string;
  readonly aud?: string | readonly string[];
  readonly cnf?: unknown;
  readonly [member: string]: unknown;
}

/** Why this API rejects a token that its authorization server considers valid. */
export interface TokenRejection {
  message: string;
  detail: RefusalDetail;
}

/** The issuer and the audiences whose tokens an API accepts. */
export interface AcceptedTokens {
  issuer: string | undefined;
  /** The accepted audiences. An empty list accepts every audience. */
  audience: readonly string[];
}

/** The remedy if a token has another `iss` than the API expects. */
export const OTHER_ISSUER = 'get a token from the expected issuer, or set `issuer` to exactly the `iss` of its tokens';

/** Returns why an API rejects a token because of its claims. `undefined` if it accepts the token. */
export function findClaimsError(claims: TokenClaims, settings: AcceptedTokens): TokenRejection | undefined {
  const { issuer, audience } = settings;
  const { iss, aud, token_type: type } = claims;
  if (issuer !== undefined && iss !== undefined && iss !== issuer) {
    return rejection('it was issued by another issuer', {
      reason: 'token was issued by another issuer',
      expected: issuer,
      given: iss,
      remedy: OTHER_ISSUER,
    });
  }
  if (audience.length > 0 && !audience.some((one) => isAmong(one, resourcesOf(claims)))) {
    const reason = 'token is not intended for this resource';
    const remedy = 'request a token for this API, or set `audience` to the `aud` of its tokens';
    return rejection('it is not intended for this resource', {
      reason,
      expected: audience.join(' '),
      given: aud,
      remedy,
    });
  }
  if (type !== undefined && !acceptedTypes(claims).includes(type.toLowerCase())) {
    const reason = 'token type is neither Bearer nor a DPoP type with a bound key';
    return rejection('its token type is not accepted', { reason, expected: 'Bearer', given: type });
  }
  const use = claims['token_use'] ?? claims['typ'];
  if (typeof use === 'string' && OTHER_USES.test(use)) {
    return rejection('it is not an access token', { reason: 'token is not an access token', given: use });
  }
  return undefined;
}

/**
 * Returns the accepted values of `token_type`, in lower case. `DPoP` is accepted only if the token is bound to a DPoP
 * key. Some servers report such tokens as `Bearer`. RFC 9449 §6.2
 */
const acceptedTypes = (claims: TokenClaims) => (jktOf(claims) === undefined ? ['bearer'] : ['bearer', 'dpop']);

/** Values of the non-standard members `token_use` and `typ` by which servers mark tokens that are not access tokens. */
const OTHER_USES = /refresh|offline|^id/i;

const rejection = (what: string, detail: RefusalDetail) => ({ message: `Invalid token: ${what}`, detail });

export const rejectionError = ({ message, detail }: TokenRejection) => new InvalidTokenError(message).because(detail);

/** Returns the expiry of a token in milliseconds since the epoch. `undefined` if it has no `exp`. */
export const expiryOf = ({ exp }: TokenClaims): number | undefined =>
  exp === undefined ? undefined : Math.min(exp * 1000, FOREVER);

/** Returns the resources that a token is intended for, from its `aud`. Empty without `aud`. RFC 8707 §2 */
const resourcesOf = ({ aud = [] }: TokenClaims): readonly string[] => (typeof aud === 'string' ? [aud] : aud);

/**
 * Converts claims to a token for the guard and routes. All claims are also members of the token, with unchanged names.
 * @param expiresAt The expiry in milliseconds since the epoch.
 * @param isClientCredentials Whether the token was issued to the client itself. If omitted, this is derived from `sub`
 * and `username`.
 */
export function tokenFromClaims(
  claims: TokenClaims,
  accessToken: string,
  expiresAt: number,
  isClientCredentials?: boolean,
): Token {
  const client: CoreClient = { id: claims.client_id ?? '', grants: [] };
  const resource = claims.aud === undefined ? undefined : { resource: resourcesOf(claims) };
  const accessTokenExpiresAt = new Date(expiresAt);
  return {
    ...claims,
    ...resource,
    accessToken,
    accessTokenExpiresAt,
    client,
    user: userOf(claims, client, isClientCredentials),
  };
}

/**
 * Returns the user of a token, or the synthetic user of the client if the token has no user. RFC 9068 §2.2,
 * RFC 9700 §4.15
 */
function userOf({ sub, username, roles }: TokenClaims, client: CoreClient, isClientCredentials?: boolean): User {
  const isClient = isClientCredentials ?? (sub === undefined ? username === undefined : sub === client.id);
  const user: User = isClient
    ? clientItself(client)
    : { ...(sub !== undefined && { id: sub }), ...(username !== undefined && { username }) };
  return isTextList(roles) ? Object.assign(user, { roles }) : user;
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
