import { comparablePath, documentPaths, requestPath } from '../../lib/internal.js';
import {
  type Around,
  type AuthorizationRequest,
  InvalidArgumentError,
  InvalidRequestError,
  type OAuth2Server,
} from '../../lib/index.js';
import type { OAuth2TenantServers } from './tenant-servers.js';

/** Returns the wrapper that runs each operation of an import with tenants on the server of the request's tenant. */
export function tenantRouter(tenants: OAuth2TenantServers): Around<OAuth2Server> {
  // All phases of an authorization request run on the server that read it, even if its tenant was forgotten since.
  const readers = new WeakMap<AuthorizationRequest, OAuth2Server>();
  return async ({ name, request, authorization }, run) => {
    const server = authorization ? readers.get(authorization) : await tenants.find(request);
    if (!server) throw new InvalidArgumentError('Invalid argument: this server has not read the authorization request');
    verifyDocument(server, name, request);
    const result = await run(server);
    if (name === 'authorize.read') readers.set(result as AuthorizationRequest, server);
    return result;
  };
}

/**
 * Verifies that a metadata document is requested at the path of the tenant's issuer. RFC 8414 §3.3
 * @throws {InvalidRequestError} (404) If the path differs.
 */
function verifyDocument({ context }: OAuth2Server, id: string, request: AuthorizationRequest['request']): void {
  const endpoint = context.endpoints.get(id);
  if (!endpoint?.perIssuer) return;
  const requestedPath = comparablePath(requestPath(request)).replace(/\/$/, '');
  const routes = documentPaths(endpoint, context.issuerOf(request));
  if (routes.some((route) => comparablePath(route) === requestedPath)) return;
  throw new InvalidRequestError('Invalid request: no tenant is registered for this host or path', { code: 404 });
}
