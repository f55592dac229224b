import { hash } from 'node:crypto';
import { capability, type ServerContext } from '../../lib/index.js';

/** The tenant whose server it is. */
export const TENANT = capability<string>('tenant', 'OAuth2Module');

/** Returns the tenant whose server it is. `undefined`: the application has no tenants. */
export const tenantOf = (server: ServerContext): string | undefined => server.find(TENANT);

/** The same text, made another one for each tenant: nobody can make of that of one the one of another. */
export function boundToTenant(text: string, server: ServerContext): string {
  const tenant = tenantOf(server);
  return tenant === undefined ? text : hash('sha256', JSON.stringify([tenant, text]), 'base64url');
}

/**
 * Returns the filter that limits grants of a user to the tenant of a server, because users of two tenants may have the same id. Returns
 * undefined for a server without tenants.
 */
export const tenantFilter = (server: ServerContext): { issuer: string } | undefined =>
  tenantOf(server) === undefined ? undefined : { issuer: server.options.issuer! };
