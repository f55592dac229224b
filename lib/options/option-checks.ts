import { isObject } from '../http/is-object.js';
import type { GrantTypeClass } from '../model/grant-type-class.js';
import { isScopeValue } from '../http/syntax.js';
import type { Scope } from '../model/model.js';
import type { RefreshTokenReuseInterval } from './reuse-interval.js';

/**
 * The options that are passed together with the option being validated, by name. For server options, `grantTypes` lists
 * the server's grant types.
 */
export type OtherOptions = Readonly<Record<string, unknown>>;

/**
 * A function that validates the value of an option. It returns a configuration error, or `undefined` if the value is
 * valid.
 */
export type OptionCheck = (value: unknown, name: string, others: OtherOptions) => string | undefined;

/**
 * An option check whose valid values have exactly the type `T`, so that the compiler compares it with the declared type
 * of the option.
 */
export type OptionCheckOf<T> = OptionCheck & { readonly type?: (value: T) => T };

/**
 * Returns an option check that accepts the values for which `is` returns `true`.
 * @param what What the option must be, for the error message, such as `true or false`.
 */
export const optionCheck =
  <T>(what: string, is: (value: unknown) => boolean): OptionCheckOf<T> =>
  (value, name) =>
    is(value) ? undefined : `the option \`${name}\` must be ${what}`;

/** Whether a value can be called with `new`. The value is not called. */
export function isClass(value: unknown): boolean {
  try {
    Reflect.construct(Object, [], value as never);
    return true;
  } catch {
    return false;
  }
}

const CENTURY = 100 * 365 * 24 * 60 * 60;

/**
 * Converts a number or a text of digits, such as an environment variable, to a number. Returns `NaN` for any other
 * value.
 */
function seconds(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : Number.NaN;
}

const isSecondsOrNone = (value: unknown): boolean => seconds(value) >= 0 && seconds(value) < CENTURY;

/** Validates an option that is `true` or `false`. */
export const BOOLEAN = optionCheck<boolean>('true or false', (value) => typeof value === 'boolean');

/**
 * Validates an option that is a lifetime in seconds: above 0 and less than 100 years, as a number or as text of digits.
 */
export const SECONDS = optionCheck<number>(
  'a positive number of seconds, less than 100 years',
  (value) => seconds(value) > 0 && seconds(value) < CENTURY,
);

/** Validates an option that is a time in seconds, less than 100 years, or `0` to disable it. */
export const SECONDS_OR_NONE = optionCheck<number>(
  'a number of seconds, 0 or more and less than 100 years',
  isSecondsOrNone,
);

/** Validates the option `refreshTokenReuseInterval`. */
export const REUSE_INTERVAL = optionCheck<RefreshTokenReuseInterval>(
  "a number of seconds, 0 or more and less than 100 years, or 'until-used', or { untilUsed: seconds }",
  (value) => {
    if (!isObject(value)) return value === 'until-used' || isSecondsOrNone(value);
    return (
      Object.keys(value).join() === 'untilUsed' &&
      seconds(value['untilUsed']) > 0 &&
      isSecondsOrNone(value['untilUsed'])
    );
  },
);

/** Validates the option `issuer`. RFC 8414 §2 */
export const ISSUER = optionCheck<string>(
  'an https (or http) URL without query and fragment',
  (value) => typeof value === 'string' && /^https?:\/\/[^?#]+$/i.test(value) && URL.canParse(value),
);

/** Validates an option that is a scope. RFC 6749 §3.3 */
export const SCOPE = optionCheck<Scope>('scope values, as a list or as text separated by spaces', (value) => {
  const values: unknown = typeof value === 'string' ? value.split(' ') : value;
  return (
    Array.isArray(values) && values.length > 0 && values.every((one) => typeof one === 'string' && isScopeValue(one))
  );
});

/** Returns the check of an option that must be one of the given texts. */
export const oneOf = <T extends string>(...choices: T[]): OptionCheckOf<T> =>
  optionCheck(choices.map((choice) => `'${choice}'`).join(' or '), (value) => choices.includes(value as T));

/** Returns the check of an option that must be an object with the given method. */
export const objectWithMethod = <T>(method: keyof T & string): OptionCheckOf<T> =>
  optionCheck(
    `an object with a method \`${method}()\``,
    (value) => isObject(value) && typeof value[method] === 'function',
  );

/** Validates the option `extendedGrantTypes`: classes by grant type. RFC 6749 §4.5 */
export const GRANT_CLASSES: OptionCheckOf<Readonly<Record<string, GrantTypeClass>>> = (value, name) => {
  if (!isObject(value)) return `the option \`${name}\` must be an object that maps grant types to classes`;
  const invalid = Object.keys(value).find((type) => !isClass(value[type]));
  return invalid === undefined ? undefined : `the grant type \`${invalid}\` in \`${name}\` must be a class`;
};

/**
 * Validates the option `requireClientAuthentication`: booleans by grant type. Unknown grant types are rejected, because
 * a typo would silently change which clients must authenticate. `client_credentials` cannot be `false`.
 */
export const GRANT_BOOLEANS: OptionCheckOf<Readonly<Record<string, boolean>>> = (value, name, others) => {
  if (!isObject(value)) return `the option \`${name}\` must be an object such as \`{ password: false }\``;
  const known = others['grantTypes'] as readonly string[];
  for (const type of Object.keys(value)) {
    if (!known.includes(type)) {
      return `unknown grant type \`${type}\` in \`${name}\`: the grant types are ${known.map((one) => `\`${one}\``).join(', ')}`;
    }
    if (typeof value[type] !== 'boolean') return `the grant type \`${type}\` in \`${name}\` must be true or false`;
    // Without a secret, knowing a client ID would be enough to get a token. RFC 6749 §4.4.2
    if (type === 'client_credentials' && !value[type]) {
      return `the grant type \`${type}\` in \`${name}\` cannot be false: clients must authenticate to use it`;
    }
  }
  return undefined;
};
