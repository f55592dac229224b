import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Provider, Type } from '@nestjs/common';
import type { FeatureList, Model, ProtectedResourceModel } from '../../lib/index.js';
import type { OAuth2Interaction } from './oauth2-interaction.interface.js';
import type { OAuth2Options, OAuth2Settings } from './oauth2-options.interface.js';
import type { OAuth2Tenants, TenantCacheOptions } from './oauth2-tenants.interface.js';

export type { OAuth2Options, OAuth2Settings } from './oauth2-options.interface.js';

/** A class that Nest instantiates, an instance, or a provider without its `provide`. */
export type ProviderOption<T> = Type<T> | T | ProviderDefinition<T>;

/** A provider of Nest without its `provide`. */
export type ProviderDefinition<T> =
  | { useValue: T }
  | { useExisting: InjectionToken }
  | { useClass: Type<T> }
  // oxlint-disable-next-line no-explicit-any
  | { useFactory: (...args: any[]) => T | Promise<T>; inject?: (InjectionToken | OptionalFactoryDependency)[] };

/** The options that must be known before the application starts. */
export interface OAuth2Registration {
  /**
   * Of a further server in the application: `@InjectOAuth2Server('partners')` and `@UseOAuth('partners')` call it so. Its
   * endpoints need `paths` of their own.
   */
  name?: string;
  /** The model: a class, an instance, or a provider (`useExisting`, `useClass`, `useFactory`, `useValue`). */
  model?: ProviderOption<Model | ProtectedResourceModel>;
  /**
   * Your login and consent, given like the model. `null`: no client uses the authorization code grant, so the application
   * starts without a warning that users cannot sign in.
   */
  interaction?: ProviderOption<OAuth2Interaction> | null;
  /** Specifications beside the classic ones, such as `[revocation()]`: routes are made of them. Default: `[]` */
  features?: FeatureList;
  /**
   * Where the endpoints are: `{ token: 'auth/token' }`, or `{ prefix: 'auth' }` for all; well-known documents cannot be moved.
   * Default: `oauth/authorize`, `oauth/token`, and what the features say of theirs
   */
  paths?: OAuth2Paths;
  /** `false`: no endpoints but well-known documents, for hosts with controllers of their own or none. Default: true */
  controllers?: boolean;
  /** Which tenant a request asks, and what is different there, given like the model: an issuer for each, from your database. */
  tenants?: ProviderOption<OAuth2Tenants>;
  /** How many tenants are kept, for how many seconds, and how long one may take. Default: { max: 1000, timeToLive: 300, deadline: 10 } */
  tenantCache?: TenantCacheOptions;
  /** Make the exports of the module visible everywhere. Default: false */
  isGlobal?: boolean;
  /** Modules whose exports the model, the interaction and the factory inject. */
  imports?: ModuleMetadata['imports'];
  /** Further providers that the model, the interaction or the factory inject. */
  extraProviders?: Provider[];
}

/** The routes of the endpoints by their ids, relative to a global prefix. */
export interface OAuth2Paths {
  /** What endpoints that are not named have in place of `oauth`: with 'auth', `auth/token`. */
  prefix?: string | undefined;
  authorize?: string | undefined;
  token?: string | undefined;
  /** Of a feature: `{ revocation: 'oauth/revoke' }`. */
  [endpoint: string]: string | undefined;
}

/** What `OAuth2Module.forRoot()` takes. */
export interface OAuth2ModuleOptions extends OAuth2Registration, OAuth2Settings {
  model: ProviderOption<Model | ProtectedResourceModel>;
}

/** A class that makes the options, for `useClass` and `useExisting`. */
export interface OAuth2OptionsFactory {
  createOAuth2Options(): OAuth2Options | Promise<OAuth2Options>;
}

/** What `OAuth2Module.forRootAsync()` takes. */
export interface OAuth2ModuleAsyncOptions extends OAuth2Registration {
  // oxlint-disable-next-line no-explicit-any
  useFactory?: (...args: any[]) => OAuth2Options | Promise<OAuth2Options>;
  inject?: (InjectionToken | OptionalFactoryDependency)[];
  useClass?: Type<OAuth2OptionsFactory>;
  useExisting?: InjectionToken<OAuth2OptionsFactory>;
}
