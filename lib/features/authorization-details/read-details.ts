import { InvalidArgumentError, InvalidAuthorizationDetailsError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { Parameters } from '../../http/parameters.js';
import { tryParseJson } from '../../http/parse-json.js';
import { type AuthorizationDetail, DETAILS, LIST_FIELDS } from '../../contracts/authorization-details.js';

/** How much a client may say: characters, details, and objects within objects. */
const MAX_LENGTH = 16_384;
const MAX_DETAILS = 32;
const MAX_DEPTH = 8;

/** The details that a request names; undefined: none. @throws InvalidAuthorizationDetailsError for what are none. RFC 9396 §2, §5 */
export function readDetails(parameters: Parameters): readonly AuthorizationDetail[] | undefined {
  const text = parameters.optional(DETAILS, () => true);
  if (text === undefined) return undefined;
  if (text.length > MAX_LENGTH) throw invalidDetails(`they have ${MAX_LENGTH} characters at most`, text);
  const said = tryParseJson(text);
  if (said === undefined) throw invalidDetails('they are JSON', text);
  return verifyDetails(said);
}

/** @returns the same, which nobody changes any more. @throws InvalidAuthorizationDetailsError for what is no list of details */
export function verifyDetails(value: unknown): readonly AuthorizationDetail[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_DETAILS;
  if (!isList) throw invalidDetails(`they are a list of ${MAX_DETAILS} objects at most, and of one at least`);
  for (const detail of value as unknown[]) {
    if (!isDetail(detail))
      throw invalidDetails('each is an object with a `type`, and its common fields are what they should be');
  }
  return freezeDetails(value, MAX_DEPTH) as readonly AuthorizationDetail[];
}

/** What the host says in place of details that were asked for. @throws InvalidArgumentError for others than these */
export function detailsFromApplication(
  details: readonly AuthorizationDetail[],
  requested: readonly AuthorizationDetail[],
): readonly AuthorizationDetail[] {
  const types = new Set(requested.map(({ type }) => type));
  if (details.every((one) => types.has(one?.type))) return verifyDetails(details);
  throw new InvalidArgumentError(
    'Invalid argument: authorization details are granted of the types that were asked for',
  );
}

/** RFC 9396 §2, §2.2 */
function isDetail(detail: unknown): boolean {
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return false;
  const { type, identifier = '' } = detail as Record<string, unknown>;
  const areLists = LIST_FIELDS.every((name) => isStringList((detail as Record<string, unknown>)[name]));
  return typeof type === 'string' && type !== '' && typeof identifier === 'string' && areLists;
}

const isStringList = (value: unknown) =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));

/** Keeps it from being changed, and refuses what would be something else once it was kept as JSON. */
function freezeDetails(value: unknown, depth: number): unknown {
  if (typeof value === 'string' && !value.isWellFormed()) throw invalidDetails('their texts are of whole characters');
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalidDetails('their numbers have an end');
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw invalidDetails(`they are ${MAX_DEPTH} levels deep at most`);
  for (const [name, one] of Object.entries(value)) {
    if (name === '__proto__') throw invalidDetails('no field is called `__proto__`');
    freezeDetails(name, depth);
    freezeDetails(one, depth - 1);
  }
  return Object.freeze(value);
}

/** What is wrong, for the operator; clients are told no more than that. RFC 9396 §5 */
export function invalidDetails(reason: string, given?: unknown): InvalidAuthorizationDetailsError {
  const error = new InvalidAuthorizationDetailsError(
    'Invalid authorization details: `authorization_details` is not good',
  );
  return error.because({
    reason: `of \`authorization_details\`: ${reason}`,
    ...(given !== undefined && { given: shortText(given) }),
  });
}
