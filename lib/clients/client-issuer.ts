import { type Capabilities, capability } from '../contracts/capability.js';
import { isRegisteredId } from './registration/client-id.js';
import type { CoreClient } from '../model/model.js';
import { isOfIssuer } from '../tokens/issuer.js';

/** The key that is provided if the server shares its model with servers of other issuers, as the servers of tenants do. */
export const SHARED_MODEL = capability<true>('shared model', 'OAuth2Module');

/** The condition that a refusal logs. */
export const OTHER_ISSUER = 'the client is registered at the issuer of this server';

/**
 * Whether a client may be used at the issuer of a request. A client with an `issuer` may be used at that issuer only. A client without
 * one may be used at every issuer, unless it registered itself and the server shares its model with other issuers: then it is unknown
 * which issuer admitted the client. RFC 7591 §3
 */
export function isClientOf(client: CoreClient, issuer: string | undefined, server: Capabilities): boolean {
  const isAssigned = client.issuer !== undefined && client.issuer !== null;
  if (!isAssigned && server.find(SHARED_MODEL) && isRegisteredId(String(client.id))) return false;
  return isOfIssuer(client, issuer);
}
