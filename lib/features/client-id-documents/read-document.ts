import { InvalidClientMetadataError } from '../../errors/index.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { ClientPolicy } from '../../clients/registration/client-policy.js';
import { clientFromMetadata, type MetadataClient } from '../../clients/registration/client-from-metadata.js';
import { readMetadata } from '../../clients/registration/read-metadata.js';
import { redirectTarget } from './client-id-url.js';

/** What no document can keep to itself. CIMD §4.1 */
const SECRET_MEMBERS = ['client_secret', 'client_secret_expires_at'];

/** Methods that need no secret which both sides know. CIMD §4.1 */
const WITHOUT_SECRET = new Set(['none', 'private_key_jwt']);

/** The policy for clients that have a document. */
export const documentPolicy = (policy: ClientPolicy): ClientPolicy => ({
  ...policy,
  authMethods: policy.authMethods.filter((method) => WITHOUT_SECRET.has(method)),
});

/**
 * Reads the document at a URL. CIMD §4
 * @throws InvalidClientMetadataError or InvalidRedirectUriError
 */
export function readDocument(
  url: string,
  members: Record<string, unknown>,
  { policy, redirects }: { policy: ClientPolicy; redirects: 'any' | 'own' },
): ClientMetadata {
  if (members['client_id'] !== url) throw invalidMetadata('its `client_id` is not the URL it was fetched from');
  const secret = SECRET_MEMBERS.find((name) => Object.hasOwn(members, name));
  if (secret !== undefined) throw invalidMetadata(`\`${secret}\` has no place in what everybody can read`);
  const metadata = readMetadata(members, policy, 'none');
  const client = clientFromMetadataDocument(url, metadata, policy);
  const far = redirects === 'own' && client.redirectUris.find((uri) => !isOwnOrLoopback(client, uri));
  if (typeof far === 'string') throw invalidMetadata('a redirect URI is of another origin');
  return metadata;
}

const isOwnOrLoopback = (client: MetadataClient, uri: string) => {
  const place = redirectTarget(client, uri);
  return place === 'own' || (place === 'device' && /^https?:/i.test(uri));
};

/** The client that a document describes. */
export const clientFromMetadataDocument = (
  url: string,
  metadata: ClientMetadata,
  policy: ClientPolicy,
): MetadataClient => ({
  ...clientFromMetadata(url, metadata, policy),
  clientIdHost: new URL(url).host,
});

const invalidMetadata = (reason: string) => new InvalidClientMetadataError(`Invalid client metadata: ${reason}`);
