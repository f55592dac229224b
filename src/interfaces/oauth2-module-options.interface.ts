import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Provider, Type } from '@nestjs/common';
import type { FeatureList, Model, ProtectedResourceModel } from '../../lib/index.js';
import type { OAuth2Interaction } from './oauth2-interaction.interface.js';
import type { OAuth2Options, OAuth2Settings } from './oauth2-options.interface.js';
import type { OAuth2Tenants, TenantCacheOptions } from './oauth2-tenants.interface.js';

export type { OAuth2Options, OAuth2Settings } from './oauth2-options.interface.js';

/** The value of an option that takes a class for Nest to instantiate, an instance, or a provider without `provide`. */
export type ProviderOption<T> = Type<T> | T | ProviderDefinition<T>;

/** A provider of Nest without its `provide`. */
export type ProviderDefinition<T> =
  | { useValue: T }
  | { useExisting: InjectionToken }
  | { useClass: Type<T> }
  // oxlint-disable-next-line no-explicit-any
  | { useFactory: (...args: any[]) => T | Promise<T>; inject?: (InjectionToken | OptionalFactoryDependency)[] };

/** The options of `forRoot()` and `forRootAsync()` that must be known before the application starts. */
export interface OAuth2Registration {
  /**
   * The name of an additional server, for `@InjectOAuth2Server('partners')` and `@UseOAuth('partners')`. Its endpoints
   * require their own `paths`. If omitted, this is the default server.
   */
  name?: string;
  /**
   * The model: a class, an instance, or a provider (`useExisting`, `useClass`, `useFactory`, `useValue`). If omitted in
   * `forRootAsync()`, the factory returns the model.
   */
  model?: ProviderOption<Model | ProtectedResourceModel>;
  /**
   * Your login and consent: a class, an instance or a provider. If omitted, a feature such as `pages()` provides them.
   * `null` if no client uses the authorization code grant, so that the start logs no warning that users cannot sign in.
   */
  interaction?: ProviderOption<OAuth2Interaction> | null;
  /**
   * The specifications to support in addition to RFC 6749, such as `[revocation()]`. Each may add endpoints. Default:
   * `[]`.
   */
  features?: FeatureList;
  /**
   * The paths of the endpoints: `{ token: 'auth/token' }` for one, `{ prefix: 'auth' }` for all. The paths of
   * well-known documents are fixed. Default: `oauth/authorize`, `oauth/token` and the paths that the features define.
   */
  paths?: OAuth2Paths;
  /**
   * Whether the module serves the endpoints. With `false` it serves only well-known documents, for applications that
   * have their own controllers or no endpoints. Default: `true`.
   */
  controllers?: boolean;
  /**
   * Finds the tenant of a request and the options of that tenant, such as its issuer. A class, an instance or a
   * provider. If omitted, the server has no tenants.
   */
  tenants?: ProviderOption<OAuth2Tenants>;
  /**
   * How many tenants are cached, for how many seconds, and how long loading one may take. Default:
   * `{ max: 1000, timeToLive: 300, deadline: 10 }`.
   */
  tenantCache?: TenantCacheOptions;
  /** Whether all modules of the application can inject the exports of this module. Default: `false`. */
  isGlobal?: boolean;
  /** Modules whose exports the model, the interaction and the factory inject. */
  imports?: ModuleMetadata['imports'];
  /** Additional providers that the model, the interaction or the factory inject. */
  extraProviders?: Provider[];
}

/** The routes of the endpoints by id, relative to the global prefix. */
export interface OAuth2Paths {
  /**
   * Replaces `oauth` in the paths of endpoints that are not listed: with `'auth'` the token endpoint is `auth/token`.
   */
  prefix?: string | undefined;
  authorize?: string | undefined;
  token?: string | undefined;
  /** The path of an endpoint of a feature: `{ revocation: 'oauth/revoke' }`. */
  [endpoint: string]: string | undefined;
}

/** The options of `OAuth2Module.forRoot()`. */
export interface OAuth2ModuleOptions extends OAuth2Registration, OAuth2Settings {
  model: ProviderOption<Model | ProtectedResourceModel>;
}

/** A class whose method creates the options of `forRootAsync()`, for `useClass` and `useExisting`. */
export interface OAuth2OptionsFactory {
  createOAuth2Options(): OAuth2Options | Promise<OAuth2Options>;
}

/** The options of `OAuth2Module.forRootAsync()`. */
export interface OAuth2ModuleAsyncOptions extends OAuth2Registration {
  // oxlint-disable-next-line no-explicit-any
  useFactory?: (...args: any[]) => OAuth2Options | Promise<OAuth2Options>;
  inject?: (InjectionToken | OptionalFactoryDependency)[];
  useClass?: Type<OAuth2OptionsFactory>;
  useExisting?: InjectionToken<OAuth2OptionsFactory>;
}
