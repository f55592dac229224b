import type {
  OAuth2ModuleAsyncOptions,
  OAuth2Options,
  OAuth2Registration,
} from '../interfaces/oauth2-module-options.interface.js';

import { allFeatures, configurationError, grantTypesOf, injectionName } from '../../lib/internal.js';
import { isObject } from './is-object.js';
import { findOptionError, PROVIDER_OPTION } from './option-kinds.js';
import { findUnknownName } from './option-names.js';
import { findDuplicatePath, findMissingPath } from './paths.js';
import { type OptionSource, TABLES } from './option-table.js';

type Method = 'forRoot' | 'forRootAsync';

const SOURCES = ['useFactory', 'useClass', 'useExisting'] as const;

/**
 * Returns the first configuration error in the options of `forRoot()`, or in the options that `forRootAsync()` takes
 * next to its factory. `undefined` if they are valid.
 */
export function findRegistrationError(registration: unknown, method: Method): string | undefined {
  if (!isObject(registration)) return `OAuth2Module.${method}() takes an object of options`;
  return (
    findUnknownName(registration, method) ??
    (method === 'forRootAsync' ? findSourceError(registration) : undefined) ??
    findOptionError(registration, TABLES[method], validatorContext(registration, registration)) ??
    findInjectionError(registration) ??
    findDuplicatePath(registration) ??
    findMissingPath(registration)
  );
}

/** Returns the first configuration error among the options of features that take an instance, a class or a provider. */
function findInjectionError({ features }: OAuth2Registration): string | undefined {
  for (const feature of allFeatures(features)) {
    for (const injection of feature.injects ?? []) {
      const name = injectionName(feature, injection);
      const error = PROVIDER_OPTION(injection.value ?? undefined, injection.option, {});
      if (error !== undefined) return error.replace(`the option \`${injection.option}\``, name);
    }
  }
  return undefined;
}

function findSourceError(options: OAuth2ModuleAsyncOptions): string | undefined {
  const sources = SOURCES.filter((source) => options[source] !== undefined).map((source) => `\`${source}\``);
  if (sources.length === 1) return undefined;
  if (sources.length > 1) return `pass only one of ${sources.join(' and ')} to OAuth2Module.forRootAsync()`;
  return 'OAuth2Module.forRootAsync() requires `useFactory`, `useClass` or `useExisting`';
}

/** The method of `OAuth2Module` that received the options, and all options that were passed to it directly. */
interface Origin {
  registration: OAuth2Registration;
  method: Method;
}

/**
 * Verifies the options once they are known: the options of `forRoot()`, or the options that the factory of
 * `forRootAsync()` returned.
 * @throws {InvalidArgumentError} If an option is unknown or invalid.
 */
export function assertOptions(options: unknown, origin: Origin): void {
  const error = findOptionsError(options, origin);
  if (error !== undefined) throw configurationError(error);
}

function findOptionsError(options: unknown, { registration, method }: Origin): string | undefined {
  if (!isObject(options)) return 'the factory of OAuth2Module.forRootAsync() must return an object of options';
  const source: OptionSource = method === 'forRoot' ? method : 'factory';
  return (
    findUnknownName(options, source) ??
    (source === 'factory' ? findDuplicateOption(options, registration) : undefined) ??
    findOptionError(options, TABLES[source], validatorContext(options, registration))
  );
}

/**
 * Returns the values that the validators of options read: the other options, the features and the grant types of the
 * server.
 */
function validatorContext(options: OAuth2Options, { features }: OAuth2Registration) {
  // A getter: the list of features is validated before an option that reads the grant types.
  const beside = {
    ...options,
    features,
    get grantTypes() {
      return grantTypesOf(features, options.extendedGrantTypes);
    },
  };
  return { beside };
}

function findDuplicateOption(options: OAuth2Options, registration: OAuth2Registration): string | undefined {
  const duplicate = (['model', 'interaction'] as const).find((name) => options[name] && registration[name]);
  return (
    duplicate &&
    `pass \`${duplicate}\` either to OAuth2Module.forRootAsync() or in the options that its factory returns, not in both`
  );
}
