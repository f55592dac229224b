import { clientItself } from '../tokens/client-subject.js';
import { InvalidTokenError, type RefusalDetail } from '../errors/index.js';
import type { CoreClient, Scope, Token, User } from '../model/model.js';
import { isAmong } from '../tokens/audience.js';
import { jktOf } from '../tokens/confirmation.js';
import { FOREVER } from '../tokens/lifetime.js';

/** What an authorization server says of a token, in its answer or in the token itself. RFC 7662 §2.2, RFC 9068 §2.2 */
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

/** Why a token is of no use here, though its authorization server calls it good. */
export interface TokenRejection {
  message: string;
  detail: RefusalDetail;
}

/** What an API takes of good tokens. */
export interface AcceptedTokens {
  issuer: string | undefined;
  /** Empty: a token may be for anything. */
  audience: readonly string[];
}

/** Finds what speaks against a token. */
export function findClaimsError(claims: TokenClaims, settings: AcceptedTokens): TokenRejection | undefined {
  const { issuer, audience } = settings;
  const { iss, aud, token_type: type } = claims;
  if (issuer !== undefined && iss !== undefined && iss !== issuer) {
    return rejection('the issuer is another one', {
      reason: 'the token is of the issuer',
      expected: issuer,
      given: iss,
    });
  }
  if (audience.length > 0 && !audience.some((one) => isAmong(one, resourcesOf(claims)))) {
    const reason = 'the token is for this resource';
    return rejection('it is not for this resource', { reason, expected: audience.join(' '), given: aud });
  }
  if (type !== undefined && !acceptedTypes(claims).includes(type.toLowerCase())) {
    const reason = 'a bearer token, or one of DPoP that is bound to a key';
    return rejection('it is of another type', { reason, expected: 'Bearer', given: type });
  }
  const use = claims['token_use'] ?? claims['typ'];
  if (typeof use === 'string' && OTHER_USES.test(use)) {
    return rejection('it is no access token', { reason: 'an access token', given: use });
  }
  return undefined;
}

/** Some servers call those Bearer too that are bound to a key: by which scheme they may come, their `cnf` says. RFC 9449 §6.2 */
const acceptedTypes = (claims: TokenClaims) => (jktOf(claims) === undefined ? ['bearer'] : ['bearer', 'dpop']);

/** How servers that introspect other tokens too tell them apart, in members that no standard knows. */
const OTHER_USES = /refresh|offline|^id/i;

const rejection = (what: string, detail: RefusalDetail) => ({ message: `Invalid token: ${what}`, detail });

export const rejectionError = ({ message, detail }: TokenRejection) => new InvalidTokenError(message).because(detail);

/** When the token is over, in milliseconds since the epoch. */
export const expiryOf = ({ exp }: TokenClaims): number | undefined =>
  exp === undefined ? undefined : Math.min(exp * 1000, FOREVER);

/** What the token is for, as other features look at it. RFC 8707 §2 */
const resourcesOf = ({ aud = [] }: TokenClaims): readonly string[] => (typeof aud === 'string' ? [aud] : aud);

/**
 * Returns the token as the guard and routes receive it, with its other claims under their own names.
 * @param isClientCredentials whether the token was issued to the client itself; by default, `sub` tells
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

/** Returns the user of a token, or the client itself if no user is named. RFC 9068 §2.2, RFC 9700 §4.15 */
function userOf({ sub, username, roles }: TokenClaims, client: CoreClient, isClientCredentials?: boolean): User {
  const isClient = isClientCredentials ?? (sub === undefined ? username === undefined : sub === client.id);
  const user: User = isClient
    ? clientItself(client)
    : { ...(sub !== undefined && { id: sub }), ...(username !== undefined && { username }) };
  return isTextList(roles) ? Object.assign(user, { roles }) : user;
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
