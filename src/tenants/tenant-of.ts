import { hash } from 'node:crypto';
import { capability, type ServerContext } from '../../lib/index.js';

/** The capability key of the tenant of a server. A server without tenants does not provide it. */
export const TENANT = capability<string>('tenant', 'OAuth2Module');

/** Returns the tenant of a server. `undefined` if the application has no tenants. */
export const tenantOf = (server: ServerContext): string | undefined => server.find(TENANT);

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
