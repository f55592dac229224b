import { InvalidRequestError } from '../errors/index.js';
import { UNSHOWABLE } from '../http/unshowable.js';
import { isObject } from '../http/is-object.js';
import { parsedJson } from '../http/parse-json.js';

/** How a claim is wanted: null says no more than that it is. OpenID Connect Core §5.5.1 */
export type ClaimRequest = { essential?: boolean; value?: unknown; values?: readonly unknown[] } | null;

/** Claims that are asked for by name. */
export type ClaimRequests = Readonly<Record<string, ClaimRequest>>;

/** The parameter `claims`, read: what is wanted where. OpenID Connect Core §5.5 */
export interface AskedClaims {
  userinfo?: ClaimRequests;
  id_token?: ClaimRequests;
}

/** Characters of the parameter; claims in each place, and values of each; characters of a name. */
const LONGEST = 4000;
const MOST_CLAIMS = 50;
const MOST_VALUES = 20;
const LONGEST_NAME = 200;

/** @throws InvalidRequestError for what is no JSON object of claims, or is too much of it */
export function readClaims(text: string | undefined): AskedClaims | undefined {
  if (text === undefined) return undefined;
  const said = text.length <= LONGEST ? parsedJson(text) : undefined;
  if (!isObject(said)) throw unreadable(`it is a JSON object of ${LONGEST} characters at most`);
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
  if (!isObject(said)) throw unreadable('its members are objects');
  const entries = Object.entries(said);
  if (entries.length > MOST_CLAIMS) throw unreadable(`it names ${MOST_CLAIMS} claims at most`);
  return Object.fromEntries(entries.map(([name, request]) => [readName(name), readRequest(request)]));
}

function readName(name: string): string {
  // Users are shown it where they agree.
  const isName = name.length > 0 && name.length <= LONGEST_NAME && name !== '__proto__' && !UNSHOWABLE.test(name);
  if (!isName) throw unreadable('claims have names, which can be shown');
  return name;
}

/** Members that are not known are left out. */
function readRequest(said: unknown): ClaimRequest {
  if (said === null) return null;
  if (!isObject(said)) throw unreadable('a claim is asked for by null or by an object');
  const { essential, value, values } = said;
  if (essential !== undefined && typeof essential !== 'boolean') throw unreadable('`essential` is true or false');
  if (value !== undefined && !isPlain(value)) throw unreadable('`value` is text, a number, true or false');
  if (values !== undefined && !(Array.isArray(values) && values.length <= MOST_VALUES && values.every(isPlain))) {
    throw unreadable(`\`values\` is a list of texts, ${MOST_VALUES} at most`);
  }
  return {
    ...(essential !== undefined && { essential }),
    ...(value !== undefined && { value }),
    ...(values !== undefined && { values: values as readonly unknown[] }),
  };
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

const unreadable = (rule: string) =>
  new InvalidRequestError('Invalid parameter: `claims`').because({ rule: `of the parameter \`claims\`: ${rule}` });
