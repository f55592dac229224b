import { assertConfig } from '../errors/configuration-error.js';
import { type Capability, capability } from './capability.js';
import { featureName } from './feature-name.js';

/** An option of a feature that takes an object of the application: an instance, a class or a provider of Nest. */
export interface Injection {
  /** The key under which the feature reads the instance, with `builder.use()` or `builder.find()`. */
  readonly key: Capability<unknown>;
  /** The name of the option, as the developer writes it. */
  readonly option: string;
  /** The value of the option. */
  readonly value: unknown;
  /** The methods that the instance must have. */
  readonly methods: readonly string[];
  /** The methods that the instance may have. */
  readonly optionalMethods: readonly string[];
}

/** The names of the methods of a type. */
type MethodOf<T> = keyof T & string;

/**
 * Returns an entry for the member `injects` of a feature: an option that takes an object of the application.
 * `OAuth2Module` instantiates a class or provider, with the module's `imports` and `extraProviders`. Every server with
 * this feature provides the instance under `key`. Without `OAuth2Module`, the option must be an instance.
 * @param option the name of the option, for error messages
 * @param methods the methods that the instance must have, and those that it may have. The application does not start
 *   if one is missing or is not a function.
 */
export const injects = <T extends object>(
  key: Capability<T>,
  option: string,
  value: unknown,
  { methods, optionalMethods = [] }: { methods: readonly MethodOf<T>[]; optionalMethods?: readonly MethodOf<T>[] },
): Injection => ({ key, option, value, methods, optionalMethods });

/** The names of the members that make an object a provider of Nest. */
const PROVIDER_MEMBERS = ['useClass', 'useExisting', 'useFactory', 'useValue'];

/** Whether an object is a Nest provider without `provide`, such as `{ useFactory }`. If not, it is an instance. */
export const isProvider = (value: object): boolean => PROVIDER_MEMBERS.some((name) => Object.hasOwn(value, name));

/** The instances that a framework has made for the options of features. */
export interface Instances {
  /** @throws {InvalidArgumentError} If the framework has made no instance. */
  get(injection: Injection): object;
}

/** The capability key under which a framework provides the instances that it makes. */
export const INSTANCES = capability<Instances>('instances', 'OAuth2Module');

interface Owner {
  readonly id: string;
}

/** Returns the name of an option for error messages, such as `` the `secondFactor` of `pages()` ``. */
export const injectionName = (feature: Owner, { option }: Injection): string =>
  `the \`${option}\` of ${featureName(feature)}`;

/**
 * Verifies that an instance has the methods that a feature calls.
 * @throws {InvalidArgumentError} If the instance lacks methods. The message lists all of them.
 */
export function verifyInstance(feature: Owner, injection: Injection, instance: unknown): object {
  const name = injectionName(feature, injection);
  const members = Object(instance) as Readonly<Record<string, unknown>>;
  const isMethod = (method: string) => typeof members[method] === 'function';
  const missing = injection.methods.filter((method) => !isMethod(method)).map((method) => `\`${method}()\``);
  const [nouns, them] = missing.length > 1 ? ['methods', 'them'] : ['method', 'it'];
  assertConfig(missing.length === 0, `${name} has no ${nouns} ${missing.join(' and ')}: implement ${them}`);
  const invalid = injection.optionalMethods.find((one) => (members[one] ?? undefined) !== undefined && !isMethod(one));
  assertConfig(invalid === undefined, `the member \`${invalid}\` of ${name} must be a method: implement or remove it`);
  return instance as object;
}

/**
 * Returns the instance of an option on a server without a framework.
 * @throws {InvalidArgumentError} If the option is a class or a provider, or if the instance lacks methods.
 */
export function plainInstance(feature: Owner, injection: Injection): object {
  const { value } = injection;
  const kind =
    typeof value === 'function' ? 'a class' : isProvider(Object(value) as object) ? 'a provider of Nest' : undefined;
  const problem = `${injectionName(feature, injection)} is ${kind}, which only OAuth2Module instantiates`;
  assertConfig(kind === undefined, `${problem}: pass an instance`);
  return verifyInstance(feature, injection, value);
}
