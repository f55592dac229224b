import { clientItself } from '../../clients/client-itself.js';
import { InvalidTokenError, type RefusalDetail } from '../../errors.js';
import type { Client, Scope, Token, User } from '../../model/model.js';
import { isObject } from '../../options/kinds.js';
import { isAmong } from '../../tokens/audience.js';
import { FOREVER } from '../../tokens/lifetime.js';
import type { Settings } from './settings.js';
import { unavailable } from './unavailable.js';

/** What an authorization server says of a good token. RFC 7662 §2.2 */
export interface Introspection {
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

const isText = (value: unknown) => typeof value === 'string';
const isTextOrList = (value: unknown) => isText(value) || (Array.isArray(value) && value.every(isText));

const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  client_id: isText,
  sub: isText,
  username: isText,
  scope: isTextOrList,
  exp: (value) => typeof value === 'number',
  token_type: isText,
  iss: isText,
  aud: isTextOrList,
};

/**
 * Reads an answer; undefined: the token is not active.
 * @throws TemporarilyUnavailableError where a member is not what it must be: such an answer says nothing
 */
export function readIntrospection(body: unknown): Introspection | undefined {
  if (!isObject(body)) throw odd('it is no object');
  const { active, ...members } = body;
  if (typeof active !== 'boolean') throw odd('`active` is no boolean');
  if (!active) return undefined;
  const name = Object.keys(MEMBERS).find((one) => members[one] != null && !MEMBERS[one]!(members[one]));
  if (name !== undefined) throw odd(`\`${name}\` is not of its type`);
  return withoutNull(members);
}

const odd = (why: string) => unavailable(`The authorization server answers what is no introspection: ${why}`);

/** Some servers say of what there is not that it is null. */
const withoutNull = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** Why a token is of no use here, though the authorization server calls it active. */
export interface Objection {
  message: string;
  detail: RefusalDetail;
}

/** Finds what speaks against a token. */
export function objectionTo(said: Introspection, settings: Settings): Objection | undefined {
  const { issuer, audience, allowBoundTokens } = settings;
  const { iss, aud, cnf, token_type: type } = said;
  if (issuer !== undefined && iss !== undefined && iss !== issuer) {
    return objection('the issuer is another one', { rule: 'the token is of the issuer', wanted: issuer, given: iss });
  }
  if (audience.length > 0 && !audience.some((one) => isAmong(one, resourcesOf(said)))) {
    const rule = 'the token is for this resource';
    return objection('it is not for this resource', { rule, wanted: audience.join(' '), given: aud });
  }
  if (type !== undefined && type.toLowerCase() !== 'bearer') {
    return objection('only bearer tokens are accepted', { rule: 'a bearer token', wanted: 'Bearer', given: type });
  }
  const use = said['token_use'] ?? said['typ'];
  if (typeof use === 'string' && OTHER_USES.test(use)) {
    return objection('it is no access token', { rule: 'an access token', given: use });
  }
  if (cnf !== undefined && !allowBoundTokens) {
    const rule = 'the token is bound to no key, or `allowBoundTokens` says that the proof is verified';
    return objection('it is bound to a key', { rule });
  }
  return undefined;
}

/** How servers that introspect other tokens too tell them apart, in members that no standard knows. */
const OTHER_USES = /refresh|offline|^id/i;

const objection = (what: string, detail: RefusalDetail) => ({ message: `Invalid token: ${what}`, detail });

export const refusal = ({ message, detail }: Objection) => new InvalidTokenError(message).because(detail);

/** When the token is over, in milliseconds since the epoch. */
export const expiryOf = ({ exp }: Introspection): number | undefined =>
  exp === undefined ? undefined : Math.min(exp * 1000, FOREVER);

/** What the token is for, as other features look at it. RFC 8707 §2 */
const resourcesOf = ({ aud = [] }: Introspection): readonly string[] => (typeof aud === 'string' ? [aud] : aud);

/** The token as the guard and the host's routes have it. What else was said of it is there under its own name. */
export function tokenOf(said: Introspection, accessToken: string, expiresAt: number): Token {
  const client: Client = { id: said.client_id ?? '', grants: [] };
  const resource = said.aud === undefined ? undefined : { resource: resourcesOf(said) };
  const accessTokenExpiresAt = new Date(expiresAt);
  return { ...said, ...resource, accessToken, accessTokenExpiresAt, client, user: userOf(said, client) };
}

/** A client acts for itself where nobody else is named, or it is named twice. RFC 9068 §2.2, RFC 9700 §4.15 */
function userOf({ sub, username }: Introspection, client: Client): User {
  if (sub === undefined ? username === undefined : sub === client.id) return clientItself(client);
  return { ...(sub !== undefined && { id: sub }), ...(username !== undefined && { username }) };
}
