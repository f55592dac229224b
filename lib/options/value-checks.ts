import { isObject } from '../http/is-object.js';
import { findFetchOptionsError } from '../http/safe-fetch/index.js';
import { isSecureUrl } from '../http/public-url.js';
import { isScopeValue } from '../http/syntax.js';
import type { RequestRate } from '../limits/memory-counts.js';
import { type AnyValueCheck, optionOf, type OptionTable, type ValueCheck } from './option-table.js';

/**
 * Returns a check that accepts the values for which `is` returns `true`.
 * @param what What the option must be, for the error message, such as `true or false`.
 */
export const accepts =
  <T>(what: string, is: (value: unknown) => boolean): ValueCheck<T> =>
  (value, name, owner) =>
    is(value) ? undefined : `${optionOf(name, owner)} must be ${what}. Got ${describe(value)}`;

/** Returns the check of an option with options of its own. */
export const acceptsOptions =
  <T extends object>(table: OptionTable<unknown>): ValueCheck<T> =>
  (value) => {
    const [error] = table.findErrors(value as object);
    return error;
  };

/**
 * Returns the check of an option that is one of the given flags, or an object with options of its own.
 * @param check The check of the object, such as `acceptsOptions()`.
 * @param flags The accepted values other than the object: `true`, `false` or both.
 */
export const optionsOr =
  <T extends object, F extends boolean>(check: AnyValueCheck, ...flags: readonly F[]): ValueCheck<F | T> =>
  (value, name, owner) => {
    const what = `${flags.map((flag) => `\`${flag}\``).join(', ')} or an object of options`;
    return (isObject(value) ? check : accepts(what, (one) => flags.includes(one as F)))(value, name, owner);
  };

/** Returns the check of a list of objects with options of their own. */
export const acceptsListOf =
  <T extends object>(table: OptionTable<unknown>, what: string): ValueCheck<readonly T[]> =>
  (value, name, owner) => {
    const [error] = Array.isArray(value) ? value.flatMap((one: object) => [...table.findErrors(one)]) : [];
    return error ?? accepts(`a list of ${what}`, Array.isArray)(value, name, owner);
  };

/** Returns a short description of a value for error messages. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `a text of ${value.length} characters` : `'${value}'`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  return isObject(value) ? 'an object' : String(value);
}

/** Maximum number of characters of a text that an error message repeats. */
const MAX_TEXT = 60;

/** Whether a value is a non-empty text. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Whether a value is a list whose elements all satisfy `is`. */
export const isListOf = (value: unknown, is: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => is(one));

/** Whether a value is a list of at least one element, whose elements all satisfy `is`. */
export const isSomeOf = (value: unknown, is: (one: unknown) => boolean): boolean =>
  isListOf(value, is) && (value as []).length > 0;

/** Accepts `true` and `false`. */
export const FLAG = accepts<boolean>('true or false', (value) => typeof value === 'boolean');

/** Accepts any value: the feature validates the option itself. */
export const ANY: AnyValueCheck = () => undefined;

/** Accepts functions. */
export const FUNCTION: AnyValueCheck = accepts('a function', (value) => typeof value === 'function');

/** Accepts objects. */
export const OBJECT: AnyValueCheck = accepts('an object', isObject);

/**
 * Returns the check of a rate, or of `false`, which disables it: at most `maximum` requests in at most a day.
 * @param what What is counted, with the maximum: `up to 10 000 requests`.
 */
export const rateOf = (maximum: number, what: string): ValueCheck<RequestRate | false> =>
  accepts(`\`false\` or \`{ requests, per }\`: ${what} in up to 86 400 seconds`, (value) => {
    const { requests, per } = isObject(value) ? value : {};
    return value === false || (isCount(requests, maximum) && isCount(per, 86_400));
  });

const isCount = (value: unknown, maximum: number) =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= maximum;

/** Accepts the options of a fetch. */
export const FETCH: AnyValueCheck = (value, name, owner) =>
  findFetchOptionsError(value as object)?.replace('a fetch', `\`${name}\` of ${owner}`);

/** Accepts non-empty texts. */
export const TEXT = accepts<string>('a non-empty text', isText);

/** Accepts lists of non-empty texts. */
export const TEXTS = accepts<readonly string[]>('a list of texts', (value) => isListOf(value, isText));

/** Accepts the URLs of servers that tokens, secrets and keys are sent to. */
export const SECURE_URL = accepts<string>('an https URL (http only for this machine)', isSecureUrl);

/** Accepts the resource identifiers of an API: one, or several in a list. RFC 8707 §2 */
export const AUDIENCE = accepts<string | readonly string[]>(
  'a resource identifier or a non-empty list of them. An empty list would accept every token',
  (value) => isText(value) || isSomeOf(value, isText),
);

/** Accepts lists of scope values. RFC 6749 §3.3 */
export const SCOPES: ValueCheck<readonly string[]> = (scopes, name, owner) => {
  if (!Array.isArray(scopes)) return `${optionOf(name, owner)} must be a list of scope values. Got ${describe(scopes)}`;
  const invalid: unknown = scopes.find((scope) => typeof scope !== 'string' || !isScopeValue(scope));
  return invalid === undefined
    ? undefined
    : `${optionOf(name, owner)} contains \`${String(invalid)}\`, which is not a valid scope value`;
};

/** Returns the check of an option that is one of the given texts. */
export const oneOfTexts = <T extends string>(...choices: readonly T[]): ValueCheck<T> =>
  accepts(choices.map((choice) => `'${choice}'`).join(' or '), (value) => choices.includes(value as T));

/** Returns the check of a non-empty list of some of the given texts. */
export const someOfTexts = <T extends string>(choices: readonly T[]): ValueCheck<readonly T[]> =>
  accepts(`a list of ${choices.join(', ')}`, (value) => isSomeOf(value, (one) => choices.includes(one as T)));

/** Returns the check of a number of seconds, fractions included, within limits. */
export const secondsFrom = (minimum: number, maximum: number): ValueCheck<number> =>
  accepts(
    `a number of seconds, from ${minimum} to ${maximum}`,
    (value) => typeof value === 'number' && value >= minimum && value <= maximum,
  );

/** Accepts a number of seconds above 0. */
export const POSITIVE_SECONDS = accepts<number>(
  'a number of seconds above 0',
  (value) => typeof value === 'number' && value > 0 && value < Infinity,
);

/** Accepts a number of seconds, 0 or more. Timers and dates of stores cannot exceed 2 ** 31 seconds. */
export const SECONDS_FROM_0 = accepts<number>(
  'a number of seconds, 0 or more',
  (value) => typeof value === 'number' && value >= 0 && value < 2 ** 31,
);

/** Maximum delay of a timer, in seconds. */
const MAX_TIMER = 2 ** 31 / 1000;

/** Accepts a number of seconds that a timer can wait, 0 included. */
export const TIMER_SECONDS = accepts<number>(
  'a number of seconds, less than 24 days',
  (value) => typeof value === 'number' && value >= 0 && value < MAX_TIMER,
);

/** Accepts a number of seconds above 0 that a timer can wait. */
export const POSITIVE_TIMER_SECONDS = accepts<number>(
  'a number of seconds above 0, less than 24 days',
  (value) => typeof value === 'number' && value >= 0.001 && value < MAX_TIMER,
);

/** Accepts a whole number above 0. */
export const COUNT = accepts<number>(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
);

/** Returns the check of a whole number within limits. */
export const wholeNumberFrom = (minimum: number, maximum: number, what = 'a whole number'): ValueCheck<number> =>
  accepts(
    `${what}, from ${minimum} to ${maximum}`,
    (value) => Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  );

/** Returns the check of a whole number of seconds within limits. */
export const wholeSecondsFrom = (minimum: number, maximum: number): ValueCheck<number> =>
  wholeNumberFrom(minimum, maximum, 'a whole number of seconds');
