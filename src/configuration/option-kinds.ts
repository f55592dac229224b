import { isClass, type OptionCheck, optionCheck, SECONDS } from '../../lib/adapter/index.js';
import { isObject } from './is-object.js';

type Values = Readonly<Record<string, unknown>>;

/** The name of a server: it stands in sentences, paths and tokens of injection. */
export const NAME = optionCheck<string>(
  "a word such as 'partners'",
  (value) => typeof value === 'string' && /^[\w.-]+$/.test(value),
);
export const TEXT = optionCheck<string>('text', (value) => typeof value === 'string');
export const LIST = optionCheck<unknown[]>('a list', Array.isArray);
export const CLASS = optionCheck<object>('a class', isClass);
export const FUNCTION = optionCheck<object>('a function', (value) => typeof value === 'function');
export const INJECTION_TOKEN = optionCheck<unknown>('an injection token', Boolean);

/** How many tenants are kept, and for how long. */
export const TENANT_CACHE: OptionCheck = (value, name) => {
  if (!isObject(value)) return `the option \`${name}\` must be an object such as \`{ max: 1000, timeToLive: 300 }\``;
  const unknown = Object.keys(value).find((key) => !['max', 'timeToLive', 'deadline'].includes(key));
  if (unknown !== undefined)
    return `unknown option \`${name}.${unknown}\`: there are \`max\`, \`timeToLive\` and \`deadline\``;
  return findOptionError(value, { max: COUNT, timeToLive: SECONDS, deadline: SECONDS }, { prefix: `${name}.` });
};

const COUNT = optionCheck<number>('a whole number, 1 or more', (value) => Number.isInteger(value) && Number(value) > 0);

/** How a provider of Nest says where its value comes from. */
const PROVIDER: Readonly<Record<string, OptionCheck>> = {
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
export const PROVIDER_OPTION: OptionCheck = (value, name) => {
  if (value === null || isClass(value)) return undefined;
  const fault = `the option \`${name}\` must be a class, an instance or a provider`;
  if (typeof value === 'function') return `${fault}: give a function as \`{ useFactory }\``;
  if (!isObject(value)) return fault;
  for (const key of Object.keys(value)) {
    const meant = SOURCES.find((source) => source.toLowerCase() === key.toLowerCase());
    if (meant !== undefined && meant !== key) return `${fault}: \`${key}\` is written \`${meant}\``;
  }
  return isProvider(value) ? findOptionError(value, PROVIDER, { prefix: `${name}.` }) : undefined;
};

/** The first fault among options; one that is undefined is left out, and one of no known name is not looked at. */
export function findOptionError(
  options: object,
  kinds: Readonly<Record<string, OptionCheck>>,
  { prefix = '', beside = options as Values }: { prefix?: string; beside?: Values } = {},
): string | undefined {
  const values = options as Values;
  for (const [name, kind] of Object.entries(kinds)) {
    const fault = values[name] === undefined ? undefined : kind(values[name], prefix + name, beside);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
