import { hash } from 'node:crypto';

import { accepts, collectedCapability, MODULE_STATE } from '../../lib/internal.js';
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

/** The capability key under which features contribute their option `realm`, if it is set. */
export const USER_REALMS = collectedCapability<string>('realms of users');

/**
 * Returns a text that identifies the users of a server, from its tenant and the options `realm` of its features.
 * `undefined` if all servers of the store have the same users. With a realm, it contains the issuer: grants are then
 * listed and ended for one issuer only, so no session may be valid at another.
 */
export function usersOf(server: ServerContext): string | undefined {
  const tenant = tenantOf(server);
  const realms = new Set(server.all(USER_REALMS));
  return realms.size === 0 ? tenant : JSON.stringify([...[...realms].toSorted(), tenant, server.options.issuer]);
}

/** Accepts the option `realm` of a feature. */
export const REALM = accepts<string>(
  'a text of 1 to 100 characters',
  (value) => typeof value === 'string' && value !== '' && value.length <= 100,
);

/**
 * Returns a different text for each tenant and realm of users, so that a value of one is useless at another. Returns the
 * text itself if all servers of the store have the same users.
 */
export function boundToUsers(text: string, server: ServerContext): string {
  const users = usersOf(server);
  return users === undefined ? text : hash('sha256', JSON.stringify([users, text]), 'base64url');
}

/**
 * Returns a filter that limits grants of a user to a server, because users of two tenants or realms may have the same ID.
 * `undefined` if all servers of the store have the same users.
 */
export const usersFilter = (server: ServerContext): { issuer: string } | undefined =>
  usersOf(server) === undefined ? undefined : { issuer: server.options.issuer! };
