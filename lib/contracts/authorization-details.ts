import { isDeepStrictEqual } from 'node:util';

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

/** By which name they are asked for, kept and said. RFC 9396 §2 */
export const DETAILS = 'authorization_details';

/** What a code or token is kept with by that name; none: an empty list. */
export const detailsOf = (kept: unknown): readonly AuthorizationDetail[] =>
  Array.isArray(kept) ? kept.filter((one): one is AuthorizationDetail => typeof one?.type === 'string') : [];

/** Does what is kept of a request have some? Then it says what it is for, and need not have a scope. RFC 9396 §3.1 */
export const hasDetails = (data: Readonly<Record<string, unknown>>): boolean => detailsOf(data[DETAILS]).length > 0;

/** Fields that list what may be done: less of it is part of it. RFC 9396 §2.2 */
export const LISTS: readonly string[] = ['locations', 'actions', 'datatypes', 'privileges'];

/** Is one part of another: the same, but for lists that are shorter? RFC 9396 §6.1 */
export function isWithinDetail(asked: AuthorizationDetail, granted: AuthorizationDetail): boolean {
  const names = new Set([...Object.keys(asked), ...Object.keys(granted)]);
  return [...names].every((name) => {
    const [some, all]: unknown[] = [asked[name], granted[name]];
    if (!LISTS.includes(name) || !Array.isArray(some) || !Array.isArray(all)) return isDeepStrictEqual(some, all);
    const known = new Set<unknown>(all);
    return (some.length > 0 || all.length === 0) && some.every((one) => known.has(one));
  });
}

/** The same text for the same details, in whatever order their fields stand. */
export const detailsText = (details: readonly AuthorizationDetail[]): string =>
  JSON.stringify(details, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
