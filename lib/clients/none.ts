import { optional } from '../http/parameters.js';
import { isVSCHAR } from '../http/syntax.js';
import type { CoreClient, Falsy } from '../model/model.js';
import type { Options } from '../options/resolve-options.js';
import type { ClientAuthentication } from '../contracts/client-authentication.js';
import { TOKEN_ENDPOINT_AUTH_METHOD } from './registration/client-fields.js';
import { hasBasicHeader } from './client-secret-basic.js';

/** The client authentication method `none` of public clients: the request contains only a `client_id`. RFC 6749 §2.1 */
export const none: ClientAuthentication = {
  method: 'none',
  readCredentials(request) {
    if (request.body?.client_secret || hasBasicHeader(request)) return undefined;
    const id = optional(request, 'client_id', isVSCHAR);
    return id === undefined ? undefined : { id };
  },
};

/** Whether a client is registered as a public client: its `token_endpoint_auth_method` is `none`. RFC 6749 §2.1 */
export function isPublicClient(client: CoreClient): boolean {
  return TOKEN_ENDPOINT_AUTH_METHOD.of(client) === 'none';
}

/**
 * Whether a client may request this grant without client authentication. If the client has a `tokenEndpointAuthMethod`,
 * only `none` allows it: a confidential client must authenticate. For any other client, and if the client is unknown,
 * the option `requireClientAuthentication` must be `false` for the grant type.
 */
export function mayBeUnauthenticated(client: CoreClient | Falsy, grantType: unknown, options: Options): boolean {
  const method = client ? TOKEN_ENDPOINT_AUTH_METHOD.of(client) : undefined;
  if (method) return method === 'none';
  const map = options.requireClientAuthentication ?? {};
  return typeof grantType === 'string' && Object.hasOwn(map, grantType) && map[grantType] === false;
}
