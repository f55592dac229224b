import { isObject } from '../http/is-object.js';
import type { GrantTypeClass } from '../model/grant-type-class.js';
import { isScopeValue } from '../http/syntax.js';
import type { Scope } from '../model/model.js';

/** What a value was given with, by name; of a server's options, `grantTypes` too: those that the server has. */
export type OtherOptions = Readonly<Record<string, unknown>>;

/** Validates the value of an option. Returns the configuration error; `undefined` if the value is valid. */
export type OptionCheck = (value: unknown, name: string, beside: OtherOptions) => string | undefined;

/** A kind whose good values have this type, neither more nor fewer: the compiler holds each option to it. */
export type OptionCheckOf<T> = OptionCheck & { readonly type?: (value: T) => T };

/**
 * Returns the validation of an option.
 * @param what what the option must be, for the message
 */
export const optionCheck =
  <T>(what: string, is: (value: unknown) => boolean): OptionCheckOf<T> =>
  (value, name) =>
    is(value) ? undefined : `the option \`${name}\` must be ${what}`;

/** Whether a value can be called with `new`. It is not called. */
export function isClass(value: unknown): boolean {
  try {
    Reflect.construct(Object, [], value as never);
    return true;
  } catch {
    return false;
  }
}

const CENTURY = 100 * 365 * 24 * 60 * 60;

/** A number, or its digits: they often come from the environment. */
function seconds(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : Number.NaN;
}

/** Validates an option that is `true` or `false`. */
export const BOOLEAN = optionCheck<boolean>('true or false', (value) => typeof value === 'boolean');

/** Validates an option that is a lifetime in seconds. */
export const SECONDS = optionCheck<number>(
  'a positive number of seconds, less than 100 years',
  (value) => seconds(value) > 0 && seconds(value) < CENTURY,
);

/** A time that 0 switches off. */
export const SECONDS_OR_NONE = optionCheck<number>(
  'a number of seconds, 0 or more and less than 100 years',
  (value) => seconds(value) >= 0 && seconds(value) < CENTURY,
);

/** RFC 8414 §2 */
export const ISSUER = optionCheck<string>(
  'an https (or http) URL without query and fragment',
  (value) => typeof value === 'string' && /^https?:\/\/[^?#]+$/i.test(value) && URL.canParse(value),
);

/** RFC 6749 §3.3 */
export const SCOPE = optionCheck<Scope>('scope values: a list, or text with a space between them', (value) => {
  const values: unknown = typeof value === 'string' ? value.split(' ') : value;
  return (
    Array.isArray(values) && values.length > 0 && values.every((one) => typeof one === 'string' && isScopeValue(one))
  );
});

/** One of these words. */
export const oneOf = <T extends string>(...choices: T[]): OptionCheckOf<T> =>
  optionCheck(choices.map((choice) => `'${choice}'`).join(' or '), (value) => choices.includes(value as T));

/** An object of the host, by the method that is called. */
export const objectWithMethod = <T>(method: keyof T & string): OptionCheckOf<T> =>
  optionCheck(
    `an object with a method \`${method}()\``,
    (value) => isObject(value) && typeof value[method] === 'function',
  );

/** Classes by grant type. RFC 6749 §4.5 */
export const GRANT_CLASSES: OptionCheckOf<Readonly<Record<string, GrantTypeClass>>> = (value, name) => {
  if (!isObject(value)) return `the option \`${name}\` must be an object: classes by grant type`;
  const odd = Object.keys(value).find((type) => !isClass(value[type]));
  return odd === undefined ? undefined : `the grant type \`${odd}\` in \`${name}\` must be a class`;
};

/** Booleans by grant type: a misspelt one would excuse nobody, or everybody. */
export const GRANT_BOOLEANS: OptionCheckOf<Readonly<Record<string, boolean>>> = (value, name, beside) => {
  if (!isObject(value)) return `the option \`${name}\` must be an object such as \`{ password: false }\``;
  const known = beside['grantTypes'] as readonly string[];
  for (const type of Object.keys(value)) {
    if (!known.includes(type)) {
      return `unknown grant type \`${type}\` in \`${name}\`: there are ${known.map((one) => `\`${one}\``).join(', ')}`;
    }
    if (typeof value[type] !== 'boolean') return `the grant type \`${type}\` in \`${name}\` must be true or false`;
    // A bare client id would be enough for a token. RFC 6749 §4.4.2
    if (type === 'client_credentials' && !value[type]) {
      return `the grant type \`${type}\` in \`${name}\` cannot be false: its clients have nothing else to show`;
    }
  }
  return undefined;
};
