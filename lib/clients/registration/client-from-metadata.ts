import type { Client } from '../../model/model.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { ClientPolicy } from './client-policy.js';

/** A client created from client metadata: a self-registered client, or one with a client ID metadata document. */
export interface MetadataClient extends Client {
  redirectUris: readonly string[];
  tokenEndpointAuthMethod: string;
  /** The display name. RFC 7591 §2 (`client_name`) */
  name?: string;
  /** The scope values that the client may request. */
  scopes: readonly string[];
  defaultScope?: readonly string[];
  /** The validated client metadata. */
  metadata: ClientMetadata;
}

/** Creates a client from validated metadata. Apart from `metadata`, it has only the properties set here. */
export function clientFromMetadata(
  id: string,
  metadata: ClientMetadata,
  { defaultScope }: ClientPolicy,
): MetadataClient {
  const scopes = metadata.scope?.split(' ') ?? [];
  const granted = defaultScope?.filter((value) => scopes.includes(value));
  const { client_name: name } = metadata;
  return {
    id,
    grants: metadata.grant_types,
    redirectUris: metadata.redirect_uris ?? [],
    tokenEndpointAuthMethod: metadata.token_endpoint_auth_method,
    scopes,
    ...(granted && granted.length > 0 && { defaultScope: granted }),
    ...(name !== undefined && { name }),
    metadata,
  };
}
