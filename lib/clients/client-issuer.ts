import type { ServerContext } from '../contracts/feature.js';
import { isRegisteredId } from './registration/client-id.js';
import type { CoreClient } from '../model/model.js';
import { isOfIssuer } from '../tokens/issuer.js';

const sharing = new WeakSet<ServerContext>();

/** Declares that the server shares its model with servers of other issuers, as the servers of tenants do. */
export const shareModel = (server: ServerContext): void => void sharing.add(server);

/** The condition that a refusal logs. */
export const OTHER_ISSUER = 'the client is registered at the issuer of this server';

/**
 * Whether a client may be used at the issuer of a request. A client with an `issuer` may be used at that issuer only. A client without
 * one may be used at every issuer, unless it registered itself and the server shares its model with other issuers: then it is unknown
 * which issuer admitted the client. RFC 7591 §3
 */
export function isClientOf(client: CoreClient, issuer: string | undefined, server: ServerContext): boolean {
  const isAssigned = client.issuer !== undefined && client.issuer !== null;
  if (!isAssigned && sharing.has(server) && isRegisteredId(String(client.id))) return false;
  return isOfIssuer(client, issuer);
}
