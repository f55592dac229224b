import { isDeepStrictEqual } from 'node:util';
import { capability } from './capability.js';

/** A permission that a client requests, described in more detail than a scope value can. RFC 9396 §2 */
export interface AuthorizationDetail {
  /** The type, such as `payment_initiation`. It defines the meaning of the other fields. */
  readonly type: string;
  /** The URIs of the APIs where the permission is used. RFC 9396 §2.2 */
  readonly locations?: readonly string[];
  readonly actions?: readonly string[];
  readonly datatypes?: readonly string[];
  readonly identifier?: string;
  readonly privileges?: readonly string[];
  // oxlint-disable-next-line no-explicit-any
  readonly [field: string]: any;
}

/** A type of authorization details: which fields they may have, and how they are described to users. RFC 9396 §2.1 */
export interface AuthorizationDetailsType {
  /** A title for users, such as `Start a payment`. Default: the name of the type. */
  title?: string;
  /** The fields allowed besides `type`. Any other field is rejected. If omitted, all fields are allowed. RFC 9396 §5 */
  fields?: readonly string[];
  /** The fields that each detail of this type must contain. Default: none. */
  required?: readonly string[];
  /**
   * Validates a single authorization detail. It throws or returns `false` if the detail is invalid. The `parse` method
   * of a schema library can be used here. RFC 9396 §5
   */
  validate?(detail: AuthorizationDetail): unknown;
  /**
   * Returns a description of the detail for the user, as one line or a list of lines. If omitted, the fields are listed
   * by their names.
   */
  describe?(detail: AuthorizationDetail, language: string): string | readonly string[];
  /**
   * Whether the detail requested for a token is covered by the granted detail. If omitted, all fields must be equal,
   * but `locations`, `actions`, `datatypes` and `privileges` may have fewer entries. RFC 9396 §6.1
   */
  isWithin?(requested: AuthorizationDetail, granted: AuthorizationDetail): boolean;
  /**
   * Whether a remembered consent applies to later requests with the same detail. Default: `false`, the user is asked
   * each time.
   */
  remember?: boolean;
}

/** The types of authorization details that a server supports, by the value of `type`. RFC 9396 §2 */
export interface SupportedDetails {
  readonly types: ReadonlyMap<string, AuthorizationDetailsType>;
}

/**
 * The capability key under which `authorizationDetails()` provides the types of authorization details that the server
 * supports.
 */
export const AUTHORIZATION_DETAILS = capability<SupportedDetails>('authorization details', 'authorizationDetails');

/**
 * The name of the request parameter, and of the member of stored codes and tokens, that contains authorization details.
 * RFC 9396 §2
 */
export const DETAILS = 'authorization_details';

/**
 * Returns the authorization details of a stored code or token. Returns an empty list if it contains no details.
 * RFC 9396 §2
 */
export const detailsOf = (stored: unknown): readonly AuthorizationDetail[] =>
  Array.isArray(stored) ? stored.filter((one): one is AuthorizationDetail => typeof one?.type === 'string') : [];

/**
 * Whether the stored data of a request contains authorization details, so that the request needs no scope.
 * RFC 9396 §3.1
 */
export const hasDetails = (data: Readonly<Record<string, unknown>>): boolean => detailsOf(data[DETAILS]).length > 0;

/** The list fields of a detail. A detail with fewer entries in them requests less. RFC 9396 §2.2 */
export const LIST_FIELDS: readonly string[] = ['locations', 'actions', 'datatypes', 'privileges'];

/**
 * Whether the granted detail covers the requested one: all fields are equal, but list fields may have fewer entries.
 * RFC 9396 §6.1
 */
export function isWithinDetail(requested: AuthorizationDetail, granted: AuthorizationDetail): boolean {
  const names = new Set([...Object.keys(requested), ...Object.keys(granted)]);
  return [...names].every((name) => {
    const [some, all]: unknown[] = [requested[name], granted[name]];
    if (!LIST_FIELDS.includes(name) || !Array.isArray(some) || !Array.isArray(all)) return isDeepStrictEqual(some, all);
    const known = new Set<unknown>(all);
    return (some.length > 0 || all.length === 0) && some.every((one) => known.has(one));
  });
}

/** Serializes authorization details as text. The text does not depend on the order of fields. */
export const detailsText = (details: readonly AuthorizationDetail[]): string =>
  JSON.stringify(details, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
