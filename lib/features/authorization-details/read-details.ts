import { InvalidArgumentError, InvalidAuthorizationDetailsError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { Parameters } from '../../http/parameters.js';
import { parsedJson } from '../../http/parse-json.js';
import { type AuthorizationDetail, DETAILS, LISTS } from '../../contracts/authorization-details.js';

/** How much a client may say: characters, details, and objects within objects. */
const LONGEST = 16_384;
const MOST = 32;
const DEEPEST = 8;

/** The details that a request names; undefined: none. @throws InvalidAuthorizationDetailsError for what are none. RFC 9396 §2, §5 */
export function readDetails(parameters: Parameters): readonly AuthorizationDetail[] | undefined {
  const text = parameters.optional(DETAILS, () => true);
  if (text === undefined) return undefined;
  if (text.length > LONGEST) throw invalid(`they have ${LONGEST} characters at most`, text);
  const said = parsedJson(text);
  if (said === undefined) throw invalid('they are JSON', text);
  return verifyDetails(said);
}

/** @returns the same, which nobody changes any more. @throws InvalidAuthorizationDetailsError for what is no list of details */
export function verifyDetails(given: unknown): readonly AuthorizationDetail[] {
  const isList = Array.isArray(given) && given.length > 0 && given.length <= MOST;
  if (!isList) throw invalid(`they are a list of ${MOST} objects at most, and of one at least`);
  for (const detail of given as unknown[]) {
    if (!isDetail(detail))
      throw invalid('each is an object with a `type`, and its common fields are what they should be');
  }
  return frozen(given, DEEPEST) as readonly AuthorizationDetail[];
}

/** What the host says in place of details that were asked for. @throws InvalidArgumentError for others than these */
export function detailsOfHost(
  given: readonly AuthorizationDetail[],
  asked: readonly AuthorizationDetail[],
): readonly AuthorizationDetail[] {
  const types = new Set(asked.map(({ type }) => type));
  if (given.every((one) => types.has(one?.type))) return verifyDetails(given);
  throw new InvalidArgumentError(
    'Invalid argument: authorization details are granted of the types that were asked for',
  );
}

/** RFC 9396 §2, §2.2 */
function isDetail(detail: unknown): boolean {
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return false;
  const { type, identifier = '' } = detail as Record<string, unknown>;
  const areLists = LISTS.every((name) => isTexts((detail as Record<string, unknown>)[name]));
  return typeof type === 'string' && type !== '' && typeof identifier === 'string' && areLists;
}

const isTexts = (value: unknown) =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));

/** Keeps it from being changed, and refuses what would be something else once it was kept as JSON. */
function frozen(value: unknown, depth: number): unknown {
  if (typeof value === 'string' && !value.isWellFormed()) throw invalid('their texts are of whole characters');
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid('their numbers have an end');
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw invalid(`they are ${DEEPEST} levels deep at most`);
  for (const [name, one] of Object.entries(value)) {
    if (name === '__proto__') throw invalid('no field is called `__proto__`');
    frozen(name, depth);
    frozen(one, depth - 1);
  }
  return Object.freeze(value);
}

/** What is wrong, for the operator; clients are told no more than that. RFC 9396 §5 */
export function invalid(rule: string, given?: unknown): InvalidAuthorizationDetailsError {
  const error = new InvalidAuthorizationDetailsError(
    'Invalid authorization details: `authorization_details` is not good',
  );
  return error.because({
    rule: `of \`authorization_details\`: ${rule}`,
    ...(given !== undefined && { given: shortText(given) }),
  });
}
