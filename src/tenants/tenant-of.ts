import { hash } from 'node:crypto';
import type { ServerContext } from '../../lib/contracts/feature.js';

const tenants = new WeakMap<ServerContext, string>();

/** Says whose server this is. */
export const belongsTo = (server: ServerContext, tenant: string) => void tenants.set(server, tenant);

/** The tenant whose server this is; undefined: it is that of a host without. */
export const tenantOf = (server: ServerContext): string | undefined => tenants.get(server);

/** The same text, made another one for each tenant: nobody can make of that of one the one of another. */
export function boundToTenant(text: string, server: ServerContext): string {
  const tenant = tenantOf(server);
  return tenant === undefined ? text : hash('sha256', JSON.stringify([tenant, text]), 'base64url');
}

/**
 * Returns the filter that limits grants of a user to the tenant of a server, because users of two tenants may have the same id. Returns
 * undefined for a server without tenants.
 */
export const ofTenant = (server: ServerContext): { issuer: string } | undefined =>
  tenantOf(server) === undefined ? undefined : { issuer: server.options.issuer! };
