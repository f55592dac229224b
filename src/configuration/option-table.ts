import {
  BOOLEAN,
  ENGINE_OPTIONS,
  type EngineOptions,
  findFeatureListError,
  findInstrumentationError,
  findSecretError,
  type OptionCheck,
} from '../../lib/internal.js';
import type {
  OAuth2ModuleAsyncOptions,
  OAuth2Options,
  OAuth2Registration,
  OAuth2Settings,
} from '../interfaces/oauth2-module-options.interface.js';
import { CLASS, FUNCTION, PROVIDER_OPTION, INJECTION_TOKEN, LIST, NAME, TENANT_CACHE } from './option-kinds.js';
import { PATHS } from './paths.js';

/** A table with a validator for each option of a type. The compiler reports options without a validator. */
type Kinds<T> = Record<keyof T, OptionCheck>;

const ENGINE = Object.fromEntries(
  Object.entries(ENGINE_OPTIONS).map(([name, { check }]) => [name, check]),
) as Kinds<EngineOptions>;

const findModuleSecretError: OptionCheck = (value) => findSecretError(value, 'the option `secret`');

const SETTINGS: Kinds<OAuth2Settings> = {
  ...ENGINE,
  config: () => undefined,
  instrumentation: findInstrumentationError,
  secret: findModuleSecretError,
};

/**
 * Accepts every value. `model` and `interaction` in the options of a factory are validated later, when the server is
 * made.
 */
const UNCHECKED: OptionCheck = () => undefined;

const OPTIONS: Kinds<OAuth2Options> = { ...SETTINGS, model: UNCHECKED, interaction: UNCHECKED };

const REGISTRATION: Kinds<OAuth2Registration> = {
  controllers: BOOLEAN,
  extraProviders: LIST,
  features: findFeatureListError,
  imports: LIST,
  interaction: PROVIDER_OPTION,
  isGlobal: BOOLEAN,
  model: PROVIDER_OPTION,
  name: NAME,
  paths: PATHS,
  tenantCache: TENANT_CACHE,
  tenants: PROVIDER_OPTION,
};

const ASYNC: Kinds<OAuth2ModuleAsyncOptions> = {
  ...REGISTRATION,
  inject: LIST,
  useClass: CLASS,
  useExisting: INJECTION_TOKEN,
  useFactory: FUNCTION,
};

/**
 * The validators of all module options: for `forRoot()`, for `forRootAsync()`, and for the options that its factory
 * returns.
 */
export const TABLES = {
  // `features` is validated first, because validators of other options read it.
  forRoot: { ...REGISTRATION, ...SETTINGS },
  forRootAsync: ASYNC,
  factory: OPTIONS,
};
export type OptionSource = keyof typeof TABLES;

/** Returns the options of the module that are also options of the engine. */
export function engineOptions(options: OAuth2Options): EngineOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(ENGINE_OPTIONS, name)));
}
