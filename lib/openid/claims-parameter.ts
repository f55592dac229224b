import { InvalidRequestError } from '../errors/index.js';
import { UNSAFE_TEXT } from '../http/unsafe-text.js';
import { isObject } from '../http/is-object.js';
import { tryParseJson } from '../http/parse-json.js';

/** The request for one claim. `null` requests it without further conditions. OpenID Connect Core §5.5.1 */
export type ClaimRequest = { essential?: boolean; value?: unknown; values?: readonly unknown[] } | null;

/** The requests for individual claims, by the names of the claims. */
export type ClaimRequests = Readonly<Record<string, ClaimRequest>>;

/**
 * The content of the parameter `claims`: the requested claims for userinfo and for the ID token. OpenID Connect
 * Core §5.5
 */
export interface RequestedClaims {
  userinfo?: ClaimRequests;
  id_token?: ClaimRequests;
}

/** Maximum number of characters of the parameter `claims`. */
const MAX_LENGTH = 4000;
/** Maximum number of claims in `userinfo`, and in `id_token`, of the parameter `claims`. */
const MAX_CLAIMS = 50;
/** Maximum number of entries in `values` of one requested claim. */
const MAX_VALUES = 20;
/** Maximum number of characters of a claim name in the parameter `claims`. */
const MAX_NAME_LENGTH = 200;

/**
 * Reads the parameter `claims`. Returns `undefined` if it is omitted or requests no claims. OpenID Connect Core §5.5
 * @throws {InvalidRequestError} If it is not a valid JSON object of claims, or is too large.
 */
export function readClaims(text: string | undefined): RequestedClaims | undefined {
  if (text === undefined) return undefined;
  const parsed = text.length <= MAX_LENGTH ? tryParseJson(text) : undefined;
  if (!isObject(parsed)) throw invalidClaims(`\`claims\` is not a JSON object of at most ${MAX_LENGTH} characters`);
  const { userinfo, id_token } = parsed;
  const claims = {
    ...(isGiven(userinfo) && { userinfo: readRequests(userinfo) }),
    ...(isGiven(id_token) && { id_token: readRequests(id_token) }),
  };
  // Other members of the parameter must be ignored. OpenID Connect Core §5.5
  return Object.keys(claims).length > 0 ? claims : undefined;
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

function readRequests(parsed: unknown): ClaimRequests {
  if (!isObject(parsed)) throw invalidClaims('`userinfo` or `id_token` in `claims` is not an object');
  const entries = Object.entries(parsed);
  if (entries.length > MAX_CLAIMS) throw invalidClaims(`\`claims\` contains more than ${MAX_CLAIMS} claims`);
  return Object.fromEntries(entries.map(([name, request]) => [readName(name), readRequest(request)]));
}

function readName(name: string): string {
  // The names are shown to users on the consent page.
  const isName = name.length > 0 && name.length <= MAX_NAME_LENGTH && name !== '__proto__' && !UNSAFE_TEXT.test(name);
  if (!isName) throw invalidClaims('a claim name in `claims` is empty, too long or not printable');
  return name;
}

/** Reads the request for one claim. Unknown members are ignored. */
function readRequest(parsed: unknown): ClaimRequest {
  if (parsed === null) return null;
  if (!isObject(parsed)) throw invalidClaims('the request for a claim in `claims` is neither null nor an object');
  const { essential, value, values } = parsed;
  if (essential !== undefined && typeof essential !== 'boolean')
    throw invalidClaims('`essential` of a claim in `claims` is not a boolean');
  if (value !== undefined && !isPrimitive(value))
    throw invalidClaims('`value` of a claim in `claims` is not a string, number or boolean');
  if (values !== undefined && !(Array.isArray(values) && values.length <= MAX_VALUES && values.every(isPrimitive))) {
    throw invalidClaims(
      `\`values\` of a claim in \`claims\` is not a list of at most ${MAX_VALUES} strings, numbers or booleans`,
    );
  }
  return {
    ...(essential !== undefined && { essential }),
    ...(value !== undefined && { value }),
    ...(values !== undefined && { values: values as readonly unknown[] }),
  };
}

const isPrimitive = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

const invalidClaims = (reason: string) => new InvalidRequestError('Invalid parameter: `claims`').because({ reason });
