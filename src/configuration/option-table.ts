import {
  BOOLEAN,
  ENGINE_OPTIONS,
  type EngineOptions,
  findFeatureListError,
  findInstrumentationError,
  type OptionCheck,
} from '../../lib/adapter/index.js';
import type {
  OAuth2ModuleAsyncOptions,
  OAuth2Options,
  OAuth2Registration,
  OAuth2Settings,
} from '../interfaces/oauth2-module-options.interface.js';
import { CLASS, FUNCTION, PROVIDER_OPTION, INJECTION_TOKEN, LIST, NAME, TENANT_CACHE, TEXT } from './option-kinds.js';
import { PATHS } from './paths.js';

/** A kind for every option that its type knows: the types see to it that none is left out. */
type Kinds<T> = Record<keyof T, OptionCheck>;

const ENGINE = Object.fromEntries(
  Object.entries(ENGINE_OPTIONS).map(([name, { check }]) => [name, check]),
) as Kinds<EngineOptions>;

const SETTINGS: Kinds<OAuth2Settings> = { ...ENGINE, instrumentation: findInstrumentationError, secret: TEXT };

/** Whether they are instances by now is seen when they are used. */
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

/** Where options are given, and which are known there. */
export const TABLES = {
  // Features come first: some options are judged by them.
  forRoot: { ...REGISTRATION, ...SETTINGS },
  forRootAsync: ASYNC,
  factory: OPTIONS,
};
export type OptionSource = keyof typeof TABLES;

/** The part of the options that is the engine's. */
export function engineOptions(options: OAuth2Options): EngineOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(ENGINE_OPTIONS, name)));
}
