import { InvalidArgumentError, InvalidAuthorizationDetailsError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { Parameters } from '../../http/parameters.js';
import { tryParseJson } from '../../http/parse-json.js';
import { type AuthorizationDetail, DETAILS, LIST_FIELDS } from '../../contracts/authorization-details.js';

/** Maximum length of the parameter `authorization_details`, in characters. */
const MAX_LENGTH = 16_384;
/** Maximum number of authorization details in a request. */
const MAX_DETAILS = 32;
/** Maximum nesting depth of an authorization detail. */
const MAX_DEPTH = 8;

/**
 * Returns the authorization details in a request. `undefined` if it contains none.
 * @throws {InvalidAuthorizationDetailsError} If they are malformed. RFC 9396 §2, §5
 */
export function readDetails(parameters: Parameters): readonly AuthorizationDetail[] | undefined {
  const text = parameters.optional(DETAILS, () => true);
  if (text === undefined) return undefined;
  if (text.length > MAX_LENGTH) throw invalidDetails(`longer than ${MAX_LENGTH} characters`, text);
  const value = tryParseJson(text);
  if (value === undefined) throw invalidDetails('not valid JSON', text);
  return verifyDetails(value);
}

/**
 * Verifies that a value is a list of 1 to 32 authorization details, and freezes it.
 * @throws {InvalidAuthorizationDetailsError} If it is not.
 */
export function verifyDetails(value: unknown): readonly AuthorizationDetail[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_DETAILS;
  if (!isList) throw invalidDetails(`not a list of 1 to ${MAX_DETAILS} objects`);
  for (const detail of value as unknown[]) {
    if (!isDetail(detail))
      throw invalidDetails('a detail is not an object with a `type`, or one of its common fields has the wrong type');
  }
  return freezeDetails(value, MAX_DEPTH) as readonly AuthorizationDetail[];
}

/**
 * Verifies the authorization details by which the application replaces the requested ones, and freezes them.
 * @throws {InvalidArgumentError} If one has a type that was not requested.
 * @throws {InvalidAuthorizationDetailsError} If one is malformed.
 */
export function detailsFromApplication(
  details: readonly AuthorizationDetail[],
  requested: readonly AuthorizationDetail[],
): readonly AuthorizationDetail[] {
  const types = new Set(requested.map(({ type }) => type));
  if (details.every((one) => types.has(one?.type))) return verifyDetails(details);
  throw new InvalidArgumentError('Invalid argument: authorization details must be of the types that were requested');
}

/** Whether the value is an object with a `type` and valid common fields. RFC 9396 §2, §2.2 */
function isDetail(detail: unknown): boolean {
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return false;
  const { type, identifier = '' } = detail as Record<string, unknown>;
  const areLists = LIST_FIELDS.every((name) => isStringList((detail as Record<string, unknown>)[name]));
  return typeof type === 'string' && type !== '' && typeof identifier === 'string' && areLists;
}

const isStringList = (value: unknown) =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));

/**
 * Freezes a value and all its members.
 * @throws {InvalidAuthorizationDetailsError} If the value would change when it is stored as JSON, or if it is nested
 * too deeply.
 */
function freezeDetails(value: unknown, depth: number): unknown {
  if (typeof value === 'string' && !value.isWellFormed())
    throw invalidDetails('a string contains an unpaired surrogate');
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalidDetails('a number is not finite');
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw invalidDetails(`nested deeper than ${MAX_DEPTH} levels`);
  for (const [name, one] of Object.entries(value)) {
    if (name === '__proto__') throw invalidDetails('a field is named `__proto__`');
    freezeDetails(name, depth);
    freezeDetails(one, depth - 1);
  }
  return Object.freeze(value);
}

/**
 * Returns the error for invalid authorization details.
 * @param reason The problem with the details. It is logged and not returned to the client. RFC 9396 §5
 */
export function invalidDetails(reason: string, given?: unknown): InvalidAuthorizationDetailsError {
  const error = new InvalidAuthorizationDetailsError(
    'Invalid authorization details: `authorization_details` is invalid',
  );
  return error.because({
    reason: `invalid \`authorization_details\`: ${reason}`,
    ...(given !== undefined && { given: shortText(given) }),
  });
}
