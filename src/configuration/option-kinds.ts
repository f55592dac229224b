import type { Feature } from '../../lib/feature.js';
import { CLASSIC } from '../../lib/features/classic.js';
import { isScopeValue } from '../../lib/http/syntax.js';

type Given = Readonly<Record<string, unknown>>;

/** Says what is wrong with an option: nothing, where it is good. `beside` is what it was given with. */
export type Kind = (value: unknown, name: string, beside: Given) => string | undefined;

const must =
  (what: string, is: (value: unknown) => boolean): Kind =>
  (value, name) =>
    is(value) ? undefined : `the option \`${name}\` must be ${what}`;

export const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Can `new` be said to it? It is not called to find out. */
function isClass(value: unknown): boolean {
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

export const BOOLEAN = must('true or false', (value) => typeof value === 'boolean');
export const TEXT = must('text', (value) => typeof value === 'string');
export const LIST = must('a list', Array.isArray);
export const CLASS = must('a class', isClass);
export const FUNCTION = must('a function', (value) => typeof value === 'function');
export const INJECTION_TOKEN = must('an injection token', Boolean);

export const SECONDS = must(
  'a positive number of seconds, less than 100 years',
  (value) => seconds(value) > 0 && seconds(value) < CENTURY,
);

export const SECONDS_OR_NONE = must(
  'a number of seconds, 0 or more and less than 100 years',
  (value) => seconds(value) >= 0 && seconds(value) < CENTURY,
);

export const ISSUER = must(
  'an https (or http) URL without query and fragment',
  (value) => typeof value === 'string' && /^https?:\/\/[^?#]+$/i.test(value) && URL.canParse(value),
);

export const SCOPE = must('scope values: a list, or text with a space between them', (value) => {
  const values: unknown = typeof value === 'string' ? value.split(' ') : value;
  return (
    Array.isArray(values) && values.length > 0 && values.every((one) => typeof one === 'string' && isScopeValue(one))
  );
});

export const oneOf = (...choices: string[]): Kind =>
  must(choices.map((choice) => `'${choice}'`).join(' or '), (value) => choices.includes(value as string));

export const having = (method: string): Kind =>
  must(`an object with a method \`${method}()\``, (value) => isObject(value) && typeof value[method] === 'function');

/** Classes by grant type. RFC 6749 §4.5 */
export const GRANT_CLASSES: Kind = (value, name) => {
  if (!isObject(value)) return `the option \`${name}\` must be an object: classes by grant type`;
  const odd = Object.keys(value).find((type) => !isClass(value[type]));
  return odd === undefined ? undefined : `the grant type \`${odd}\` in \`${name}\` must be a class`;
};

/** Booleans by grant type: a misspelt one would excuse nobody, or everybody. */
export const GRANT_BOOLEANS: Kind = (value, name, { extendedGrantTypes, features = [] }) => {
  if (!isObject(value)) return `the option \`${name}\` must be an object such as \`{ password: false }\``;
  const listed = [...CLASSIC, ...(features as Feature[]).flat()].flatMap(({ grants }) => Object.keys(grants ?? {}));
  const known = [...new Set([...listed, ...Object.keys((extendedGrantTypes as object | undefined) ?? {})])];
  for (const type of Object.keys(value)) {
    if (!known.includes(type)) return `unknown grant type \`${type}\` in \`${name}\`: there are ${list(known)}`;
    if (typeof value[type] !== 'boolean') return `the grant type \`${type}\` in \`${name}\` must be true or false`;
    // A bare client id would be enough for a token. RFC 6749 §4.4.2
    if (type === 'client_credentials' && !value[type]) {
      return `the grant type \`${type}\` in \`${name}\` cannot be false: its clients have nothing else to show`;
    }
  }
  return undefined;
};

const list = (names: string[]) => names.map((name) => `\`${name}\``).join(', ');

/** How a provider of Nest says where its value comes from. */
const PROVIDER: Readonly<Record<string, Kind>> = {
  inject: LIST,
  useClass: CLASS,
  useExisting: INJECTION_TOKEN,
  useFactory: FUNCTION,
  useValue: () => undefined,
};

const SOURCES = Object.keys(PROVIDER).filter((name) => name.startsWith('use'));

/** Is it a provider without its `provide`, rather than an instance? */
export const isProvider = (value: object): boolean => SOURCES.some((source) => Object.hasOwn(value, source));

/** A class, an instance or a provider; null: left out. */
export const GIVEN: Kind = (value, name) => {
  if (value === null || isClass(value)) return undefined;
  const fault = `the option \`${name}\` must be a class, an instance or a provider`;
  if (typeof value === 'function') return `${fault}: give a function as \`{ useFactory }\``;
  if (!isObject(value)) return fault;
  for (const key of Object.keys(value)) {
    const meant = SOURCES.find((source) => source.toLowerCase() === key.toLowerCase());
    if (meant !== undefined && meant !== key) return `${fault}: \`${key}\` is written \`${meant}\``;
  }
  return isProvider(value) ? findFault(value, PROVIDER, `${name}.`) : undefined;
};

/** The first fault among options; one that is undefined is left out, and one of no known name is not looked at. */
export function findFault(given: object, kinds: Readonly<Record<string, Kind>>, prefix = ''): string | undefined {
  const values = given as Given;
  for (const [name, kind] of Object.entries(kinds)) {
    const fault = values[name] === undefined ? undefined : kind(values[name], prefix + name, values);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
