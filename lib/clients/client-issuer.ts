import type { Capabilities } from '../contracts/capability.js';
import { MODULE_STATE } from '../contracts/module-state.js';
import { isRegisteredId } from './registration/client-id.js';
import type { CoreClient } from '../model/model.js';
import { isOfIssuer } from '../tokens/issuer.js';

/** The logged reason for refusing a client of another issuer. */
export const OTHER_ISSUER = 'client is registered at another issuer';

/**
 * Whether a client may be used at the issuer of a request. A client with an `issuer` may be used at that issuer only,
 * any other client at every issuer. A server without an issuer accepts the clients of all issuers. Exception: if the
 * server shares its model with other issuers, a self-registered client without `issuer` is rejected, because it is
 * unknown which issuer registered it. RFC 7591 §3
 */
export function isClientOf(client: CoreClient, issuer: string | undefined, server: Capabilities): boolean {
  const isAssigned = client.issuer !== undefined && client.issuer !== null;
  if (!isAssigned && server.find(MODULE_STATE)?.sharesModel && isRegisteredId(String(client.id))) return false;
  return isOfIssuer(client, issuer);
}
