import { InvalidRequestError } from '../errors/index.js';
import { UNSAFE_TEXT } from '../http/unsafe-text.js';
import { isObject } from '../http/is-object.js';
import { tryParseJson } from '../http/parse-json.js';

/** How a claim is wanted: null says no more than that it is. OpenID Connect Core §5.5.1 */
export type ClaimRequest = { essential?: boolean; value?: unknown; values?: readonly unknown[] } | null;

/** Claims that are asked for by name. */
export type ClaimRequests = Readonly<Record<string, ClaimRequest>>;

/** The parameter `claims`, read: what is wanted where. OpenID Connect Core §5.5 */
export interface RequestedClaims {
  userinfo?: ClaimRequests;
  id_token?: ClaimRequests;
}

/** Characters of the parameter; claims in each place, and values of each; characters of a name. */
const MAX_LENGTH = 4000;
const MAX_CLAIMS = 50;
const MAX_VALUES = 20;
const MAX_NAME_LENGTH = 200;

/** @throws InvalidRequestError for what is no JSON object of claims, or is too much of it */
export function readClaims(text: string | undefined): RequestedClaims | undefined {
  if (text === undefined) return undefined;
  const said = text.length <= MAX_LENGTH ? tryParseJson(text) : undefined;
  if (!isObject(said)) throw invalidClaims(`it is a JSON object of ${MAX_LENGTH} characters at most`);
  const { userinfo, id_token } = said;
  const asked = {
    ...(isGiven(userinfo) && { userinfo: readRequests(userinfo) }),
    ...(isGiven(id_token) && { id_token: readRequests(id_token) }),
  };
  // What it says of other places is not understood, and is no error. OpenID Connect Core §5.5
  return Object.keys(asked).length > 0 ? asked : undefined;
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

function readRequests(said: unknown): ClaimRequests {
  if (!isObject(said)) throw invalidClaims('its members are objects');
  const entries = Object.entries(said);
  if (entries.length > MAX_CLAIMS) throw invalidClaims(`it names ${MAX_CLAIMS} claims at most`);
  return Object.fromEntries(entries.map(([name, request]) => [readName(name), readRequest(request)]));
}

function readName(name: string): string {
  // Users are shown it where they agree.
  const isName = name.length > 0 && name.length <= MAX_NAME_LENGTH && name !== '__proto__' && !UNSAFE_TEXT.test(name);
  if (!isName) throw invalidClaims('claims have names, which can be shown');
  return name;
}

/** Members that are not known are left out. */
function readRequest(said: unknown): ClaimRequest {
  if (said === null) return null;
  if (!isObject(said)) throw invalidClaims('a claim is asked for by null or by an object');
  const { essential, value, values } = said;
  if (essential !== undefined && typeof essential !== 'boolean') throw invalidClaims('`essential` is true or false');
  if (value !== undefined && !isPrimitive(value)) throw invalidClaims('`value` is text, a number, true or false');
  if (values !== undefined && !(Array.isArray(values) && values.length <= MAX_VALUES && values.every(isPrimitive))) {
    throw invalidClaims(`\`values\` is a list of texts, ${MAX_VALUES} at most`);
  }
  return {
    ...(essential !== undefined && { essential }),
    ...(value !== undefined && { value }),
    ...(values !== undefined && { values: values as readonly unknown[] }),
  };
}

const isPrimitive = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

const invalidClaims = (reason: string) =>
  new InvalidRequestError('Invalid parameter: `claims`').because({ reason: `of the parameter \`claims\`: ${reason}` });
