import { hash } from 'node:crypto';

import { accepts, MODULE_STATE } from '../../lib/internal.js';
import type { ServerContext } from '../../lib/index.js';

/** Returns the tenant of a server. `undefined` if the application has no tenants. */
export const tenantOf = (server: ServerContext): string | undefined => server.find(MODULE_STATE)?.tenant;

/** Returns a text that identifies a server: its issuer and its tenant. A value of one server is useless at another. */
export const serverKey = (server: ServerContext, issuer = ''): string =>
  JSON.stringify([issuer, tenantOf(server) ?? null]);

/**
 * Returns the realm of the users of a server: users of two realms may have the same ID and are different persons.
 * @param name The name that the application gives to the users of this server, if other servers share its store.
 */
export function realmOf(server: ServerContext, name: string | undefined): string {
  const tenant = tenantOf(server);
  return name === undefined ? (tenant ?? '') : JSON.stringify([name, tenant ?? null]);
}

/** Accepts the option `realm` of a feature. */
export const REALM = accepts<string>(
  'a text of 1 to 100 characters',
  (value) => typeof value === 'string' && value !== '' && value.length <= 100,
);

/**
 * Returns a different text for each tenant, so that a value of one tenant is useless at another. Returns the text
 * itself if the server has no tenants.
 */
export function boundToTenant(text: string, server: ServerContext): string {
  const tenant = tenantOf(server);
  return tenant === undefined ? text : hash('sha256', JSON.stringify([tenant, text]), 'base64url');
}

/**
 * Returns a filter that limits grants of a user to the tenant of a server, because users of two tenants may have the
 * same id. `undefined` for a server without tenants.
 */
export const tenantFilter = (server: ServerContext): { issuer: string } | undefined =>
  tenantOf(server) === undefined ? undefined : { issuer: server.options.issuer! };
