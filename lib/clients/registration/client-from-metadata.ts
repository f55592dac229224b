import type { Client } from '../../model/model.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { ClientPolicy } from './client-policy.js';

/** A client that has said itself what it is. */
export interface MetadataClient extends Client {
  redirectUris: readonly string[];
  tokenEndpointAuthMethod: string;
  /** As users are told it is called. RFC 7591 §2 (`client_name`) */
  name?: string;
  /** What it may ask for. */
  scopes: readonly string[];
  defaultScope?: readonly string[];
  /** What it says of itself. */
  metadata: ClientMetadata;
}

/** The client that metadata describe: every property is made here, and none is taken over. */
export function clientFromMetadata(
  id: string,
  metadata: ClientMetadata,
  { defaultScope }: ClientPolicy,
): MetadataClient {
  const scopes = metadata.scope?.split(' ') ?? [];
  const usual = defaultScope?.filter((value) => scopes.includes(value));
  const { client_name: name } = metadata;
  return {
    id,
    grants: metadata.grant_types,
    redirectUris: metadata.redirect_uris ?? [],
    tokenEndpointAuthMethod: metadata.token_endpoint_auth_method,
    scopes,
    ...(usual && usual.length > 0 && { defaultScope: usual }),
    ...(name !== undefined && { name }),
    metadata,
  };
}
