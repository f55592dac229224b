import { isObject } from '../../http/is-object.js';
import type { TokenClaims } from '../../remote/token-claims.js';
import { unavailable } from '../../remote/unavailable.js';

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
export function readIntrospection(body: unknown): TokenClaims | undefined {
  if (!isObject(body)) throw invalidResponse('it is no object');
  const { active, ...members } = body;
  if (typeof active !== 'boolean') throw invalidResponse('`active` is no boolean');
  if (!active) return undefined;
  const name = Object.keys(MEMBERS).find((one) => members[one] != null && !MEMBERS[one]!(members[one]));
  if (name !== undefined) throw invalidResponse(`\`${name}\` is not of its type`);
  return withoutNull(members);
}

const invalidResponse = (why: string) =>
  unavailable(`The authorization server answers what is no introspection: ${why}`);

/** Some servers say of what there is not that it is null. */
const withoutNull = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
