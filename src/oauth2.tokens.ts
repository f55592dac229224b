import type { InjectionToken } from '@nestjs/common';

import { serverName } from '../lib/internal.js';
import { OAuth2Clients, OAuth2Grants, OAuth2Server } from '../lib/index.js';
import { clientsName, grantsName } from './module/provider-names.js';
import { OAuth2Elicitations } from './module/oauth2-elicitations.js';
import { OAuth2PersonalTokens } from './module/oauth2-personal-tokens.js';
import { OAuth2Upstreams } from './module/oauth2-upstreams.js';
import { OAuth2Sessions } from './interaction/oauth2-sessions.js';
import { OAuth2TenantServers } from './tenants/tenant-servers.js';

/** The injection token of the model of the default server. */
export const OAUTH2_MODEL = Symbol('OAUTH2_MODEL');

/**
 * The injection token of the options of the default server, as the application set them. Nest shows its description if
 * it cannot resolve the parameters of a factory.
 */
export const OAUTH2_OPTIONS = Symbol(
  'options of OAuth2Module.forRootAsync(): add the modules of `inject` to its `imports`',
);

/**
 * The injection token of the interaction of the default server. Its value is `undefined` if the application has none.
 */
export const OAUTH2_INTERACTION = Symbol('OAUTH2_INTERACTION');

/** The injection token of the registration of one import of the module. @internal */
export const OAUTH2_REGISTRATION = Symbol('OAUTH2_REGISTRATION');

/**
 * The injection token of the complete paths of the endpoints and resources of one import. They are set when the routes
 * are made. @internal
 */
export const OAUTH2_ROUTES = Symbol('OAUTH2_ROUTES');

/** The complete paths of one import of the module. */
export interface MountedRoutes {
  /** The complete paths of the endpoints, by id. `false` means that an endpoint is not served. */
  readonly endpoints: Record<string, string | false>;
  /** The complete paths of the protected resources, by route path. */
  readonly resources: Record<string, string>;
}

/** The injection token of the application's `OAuth2Tenants`. @internal */
export const OAUTH2_TENANTS = Symbol('OAUTH2_TENANTS');

/** The injection token of the options of one import, with or without a name. @internal */
export const OAUTH2_IMPORT_OPTIONS = Symbol('OAUTH2_SETTLED');

/** Returns the injection token of the `OAuth2Server` with this `name`. If omitted, the class `OAuth2Server`. */
export const getOAuth2ServerToken = (name?: string): typeof OAuth2Server | string =>
  name === undefined ? OAuth2Server : serverName(name);

/** Returns the injection token of the model of the server with this `name`. If omitted, `OAUTH2_MODEL`. */
export const getOAuth2ModelToken = (name?: string): symbol | string =>
  name === undefined ? OAUTH2_MODEL : `model of \`${name}\``;

/**
 * Returns the injection token of the `OAuth2Clients` of the server with this `name`. If omitted, the class
 * `OAuth2Clients`.
 */
export const getOAuth2ClientsToken = (name?: string): typeof OAuth2Clients | string =>
  name === undefined ? OAuth2Clients : clientsName(name);

/**
 * Returns the injection token of the `OAuth2Grants` of the server with this `name`. If omitted, the class
 * `OAuth2Grants`.
 */
export const getOAuth2GrantsToken = (name?: string): typeof OAuth2Grants | string =>
  name === undefined ? OAuth2Grants : grantsName(name);

/**
 * Returns the injection token of the `OAuth2Sessions` of the server with this `name`. If omitted, the class
 * `OAuth2Sessions`.
 */
export const getOAuth2SessionsToken = (name?: string): typeof OAuth2Sessions | string =>
  name === undefined ? OAuth2Sessions : `OAuth2Sessions of \`${name}\``;

/**
 * Returns the injection token of the `OAuth2PersonalTokens` of the server with this `name`. If omitted, the class
 * `OAuth2PersonalTokens`.
 */
export const getOAuth2PersonalTokensToken = (name?: string): typeof OAuth2PersonalTokens | string =>
  name === undefined ? OAuth2PersonalTokens : `OAuth2PersonalTokens of \`${name}\``;

/**
 * Returns the injection token of the `OAuth2Elicitations` of the server with this `name`. If omitted, the class
 * `OAuth2Elicitations`.
 */
export const getOAuth2ElicitationsToken = (name?: string): typeof OAuth2Elicitations | string =>
  name === undefined ? OAuth2Elicitations : `OAuth2Elicitations of \`${name}\``;

/**
 * Returns the injection token of the `OAuth2Upstreams` of the server with this `name`. If omitted, the class
 * `OAuth2Upstreams`.
 */
export const getOAuth2UpstreamsToken = (name?: string): typeof OAuth2Upstreams | string =>
  name === undefined ? OAuth2Upstreams : `OAuth2Upstreams of \`${name}\``;

/**
 * Returns the injection token of the `OAuth2TenantServers` of the server with this `name`. If omitted, the class
 * `OAuth2TenantServers`.
 */
export const getOAuth2TenantServersToken = (name?: string): typeof OAuth2TenantServers | string =>
  name === undefined ? OAuth2TenantServers : `tenants of \`${name}\``;

/** The injection tokens of one import of the module. */
export interface PartTokens {
  readonly server: InjectionToken;
  readonly model: InjectionToken;
  readonly options: InjectionToken;
  readonly interaction: InjectionToken;
  readonly clients: InjectionToken;
  readonly grants: InjectionToken;
  readonly sessions: InjectionToken;
  readonly personalTokens: InjectionToken;
  readonly upstreams: InjectionToken;
  readonly elicitations: InjectionToken;
}

/**
 * Returns the injection tokens of one import. A named server has its own tokens, so that injecting `OAuth2Server` by
 * its class always returns the default server.
 */
export const partTokens = (name: string | undefined): PartTokens => ({
  server: getOAuth2ServerToken(name),
  model: getOAuth2ModelToken(name),
  options: name === undefined ? OAUTH2_OPTIONS : `options of \`${name}\``,
  interaction: name === undefined ? OAUTH2_INTERACTION : `interaction of \`${name}\``,
  clients: getOAuth2ClientsToken(name),
  grants: getOAuth2GrantsToken(name),
  sessions: getOAuth2SessionsToken(name),
  personalTokens: getOAuth2PersonalTokensToken(name),
  upstreams: getOAuth2UpstreamsToken(name),
  elicitations: getOAuth2ElicitationsToken(name),
});
