import type { InjectionToken } from '@nestjs/common';
import { serverName } from '../lib/adapter/index.js';
import { OAuth2Clients, OAuth2Grants, OAuth2Server } from '../lib/index.js';
import { clientsName, grantsName } from './module/provider-names.js';
import { OAuth2Sessions } from './interaction/oauth2-sessions.js';
import { OAuth2TenantServers } from './tenants/tenant-servers.js';

/** Injection token of the model. */
export const OAUTH2_MODEL = Symbol('OAUTH2_MODEL');

/** Injection token of the options, as the host gave them. */
export const OAUTH2_OPTIONS = Symbol('OAUTH2_OPTIONS');

/** Injection token of the interaction; undefined in a host without one. */
export const OAUTH2_INTERACTION = Symbol('OAUTH2_INTERACTION');

/** Injection token of what one import of the module was registered with. @internal */
export const OAUTH2_REGISTRATION = Symbol('OAUTH2_REGISTRATION');

/** Injection token of where one import has its endpoints: their whole paths by id, once the routes are made. @internal */
export const OAUTH2_ROUTES = Symbol('OAUTH2_ROUTES');

/** Injection token of what Nest makes for the feature that asks users. @internal */
export const OAUTH2_FEATURE_INSTANCE = Symbol('OAUTH2_GIVEN');

/** Injection token of what the host has given to say which tenant is asked. @internal */
export const OAUTH2_TENANTS = Symbol('OAUTH2_TENANTS');

/** Injection token of the options of one import, whatever its name. @internal */
export const OAUTH2_IMPORT_OPTIONS = Symbol('OAUTH2_SETTLED');

/** The injection token of a server by the `name` that it was registered with; left out: the class `OAuth2Server`. */
export const getOAuth2ServerToken = (name?: string): typeof OAuth2Server | string =>
  name === undefined ? OAuth2Server : serverName(name);

/** The injection token of the model of a server by its `name`; left out: `OAUTH2_MODEL`. */
export const getOAuth2ModelToken = (name?: string): symbol | string =>
  name === undefined ? OAUTH2_MODEL : `model of \`${name}\``;

/** The injection token of what administers the clients of a server by its `name`; left out: the class `OAuth2Clients`. */
export const getOAuth2ClientsToken = (name?: string): typeof OAuth2Clients | string =>
  name === undefined ? OAuth2Clients : clientsName(name);

/** The injection token of `OAuth2Grants` for the server with this `name`; without a name, the class `OAuth2Grants`. */
export const getOAuth2GrantsToken = (name?: string): typeof OAuth2Grants | string =>
  name === undefined ? OAuth2Grants : grantsName(name);

/** The injection token of the sessions of the pages, by the `name` of their server. If omitted, the class `OAuth2Sessions`. */
export const getOAuth2SessionsToken = (name?: string): typeof OAuth2Sessions | string =>
  name === undefined ? OAuth2Sessions : `OAuth2Sessions of \`${name}\``;

/** The injection token of the servers of tenants, by the `name` of their server; left out: the class `OAuth2TenantServers`. */
export const getOAuth2TenantServersToken = (name?: string): typeof OAuth2TenantServers | string =>
  name === undefined ? OAuth2TenantServers : `tenants of \`${name}\``;

/** The tokens of the parts of one import. */
export interface PartTokens {
  readonly server: InjectionToken;
  readonly model: InjectionToken;
  readonly options: InjectionToken;
  readonly interaction: InjectionToken;
  readonly clients: InjectionToken;
  readonly grants: InjectionToken;
  readonly sessions: InjectionToken;
}

/** Those of a server with a name are its own: who asks the application for `OAuth2Server` never gets that one. */
export const partTokens = (name: string | undefined): PartTokens => ({
  server: getOAuth2ServerToken(name),
  model: getOAuth2ModelToken(name),
  options: name === undefined ? OAUTH2_OPTIONS : `options of \`${name}\``,
  interaction: name === undefined ? OAUTH2_INTERACTION : `interaction of \`${name}\``,
  clients: getOAuth2ClientsToken(name),
  grants: getOAuth2GrantsToken(name),
  sessions: getOAuth2SessionsToken(name),
});
