import type { ServerContext } from '../contracts/feature.js';
import { INITIATE_LOGIN_URI } from './client-fields.js';
import type { CoreClient } from '../model/model.js';
import { OPENID } from './openid-capability.js';

/**
 * Returns the URL at which a client starts a login for a user, from `initiate_login_uri`. Returns `undefined` if the
 * client has none. OpenID Connect Core §4
 */
export function loginInitiation(
  client: CoreClient,
  issuer: string | undefined,
  server: ServerContext,
): string | undefined {
  const uri = INITIATE_LOGIN_URI.of(client);
  // Validate the URI here, because clients that the application configures were not validated by registration.
  if (issuer === undefined || !server.find(OPENID) || !INITIATE_LOGIN_URI.isValid(uri, server)) return undefined;
  const url = new URL(uri);
  url.search += `${url.search === '' ? '' : '&'}iss=${encodeURIComponent(issuer)}`;
  return url.href;
}
