import { isDeepStrictEqual } from 'node:util';
import { capability } from './capability.js';

/** Something that a client may do, said by more than a word of a scope. RFC 9396 §2 */
export interface AuthorizationDetail {
  /** What its other fields mean. */
  readonly type: string;
  /** Where it may be done: the URIs of APIs. RFC 9396 §2.2 */
  readonly locations?: readonly string[];
  readonly actions?: readonly string[];
  readonly datatypes?: readonly string[];
  readonly identifier?: string;
  readonly privileges?: readonly string[];
  // oxlint-disable-next-line no-explicit-any
  readonly [field: string]: any;
}

/** A kind of authorization details: what one may say, and what users are told of it. RFC 9396 §2.1 */
export interface AuthorizationDetailsType {
  /** What it is about, for users: `Start a payment`. Default: the name of the type */
  title?: string;
  /** The fields that one may have beside `type`; any other is refused. Default: any may be there. RFC 9396 §5 */
  fields?: readonly string[];
  /** The fields that one must have. Default: none */
  required?: readonly string[];
  /** Judges one by itself: throws, or returns `false`, where it is not good; the `parse` of a schema will do. RFC 9396 §5 */
  validate?(detail: AuthorizationDetail): unknown;
  /** What users are told of one, by a few lines. Default: its fields, by their names */
  describe?(detail: AuthorizationDetail, language: string): string | readonly string[];
  /**
   * Is what a token is asked for part of what was granted? Default: the same, with fewer `locations`, `actions`, `datatypes` and
   * `privileges` if it likes. RFC 9396 §6.1
   */
  isWithin?(requested: AuthorizationDetail, granted: AuthorizationDetail): boolean;
  /** May what a user agreed to once stand for the very same later? Default: false, they are asked each time */
  remember?: boolean;
}

/** The types of authorization details that a server supports, by the value of `type`. RFC 9396 §2 */
export interface SupportedDetails {
  readonly types: ReadonlyMap<string, AuthorizationDetailsType>;
}

/** The authorization details that a server supports. `authorizationDetails()` provides them. */
export const AUTHORIZATION_DETAILS = capability<SupportedDetails>('authorization details', 'authorizationDetails');

/** By which name they are asked for, kept and said. RFC 9396 §2 */
export const DETAILS = 'authorization_details';

/** Returns the authorization details of a stored code or token; an empty list if it has none. RFC 9396 §2 */
export const detailsOf = (stored: unknown): readonly AuthorizationDetail[] =>
  Array.isArray(stored) ? stored.filter((one): one is AuthorizationDetail => typeof one?.type === 'string') : [];

/** Does what is kept of a request have some? Then it says what it is for, and need not have a scope. RFC 9396 §3.1 */
export const hasDetails = (data: Readonly<Record<string, unknown>>): boolean => detailsOf(data[DETAILS]).length > 0;

/** Fields that list what may be done: less of it is part of it. RFC 9396 §2.2 */
export const LIST_FIELDS: readonly string[] = ['locations', 'actions', 'datatypes', 'privileges'];

/** Is one part of another: the same, but for lists that are shorter? RFC 9396 §6.1 */
export function isWithinDetail(requested: AuthorizationDetail, granted: AuthorizationDetail): boolean {
  const names = new Set([...Object.keys(requested), ...Object.keys(granted)]);
  return [...names].every((name) => {
    const [some, all]: unknown[] = [requested[name], granted[name]];
    if (!LIST_FIELDS.includes(name) || !Array.isArray(some) || !Array.isArray(all)) return isDeepStrictEqual(some, all);
    const known = new Set<unknown>(all);
    return (some.length > 0 || all.length === 0) && some.every((one) => known.has(one));
  });
}

/** Returns authorization details as text. The text does not depend on the order of fields. */
export const detailsText = (details: readonly AuthorizationDetail[]): string =>
  JSON.stringify(details, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
