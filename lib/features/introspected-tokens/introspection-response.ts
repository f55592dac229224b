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
 * Validates the body of an introspection response, and returns its claims. `undefined` if the token is not active.
 * @throws {TemporarilyUnavailableError} If the body is not an object, or if a member has the wrong type.
 */
export function readIntrospection(body: unknown): TokenClaims | undefined {
  if (!isObject(body)) throw invalidResponse('the body is not an object');
  const { active, ...members } = body;
  if (typeof active !== 'boolean') throw invalidResponse('`active` is not a boolean');
  if (!active) return undefined;
  const name = Object.keys(MEMBERS).find((one) => members[one] != null && !MEMBERS[one]!(members[one]));
  if (name !== undefined) throw invalidResponse(`\`${name}\` has the wrong type`);
  return withoutNull(members);
}

const invalidResponse = (why: string) =>
  unavailable(`The authorization server sent an invalid introspection response: ${why}`);

/** Removes members that are null, which some servers send for missing values. */
const withoutNull = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
