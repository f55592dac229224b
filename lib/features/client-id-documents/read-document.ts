import { InvalidClientMetadataError } from '../../errors/index.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { ClientPolicy } from '../../clients/registration/client-policy.js';
import { clientOf, type DescribedClient } from '../../clients/registration/client-of.js';
import { readMetadata } from '../../clients/registration/read-metadata.js';
import { redirectPlace } from './client-id-url.js';

/** What no document can keep to itself. CIMD §4.1 */
const SECRETS = ['client_secret', 'client_secret_expires_at'];

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
  said: Record<string, unknown>,
  { policy, redirects }: { policy: ClientPolicy; redirects: 'any' | 'own' },
): ClientMetadata {
  if (said['client_id'] !== url) throw invalid('its `client_id` is not the URL it was fetched from');
  const secret = SECRETS.find((name) => Object.hasOwn(said, name));
  if (secret !== undefined) throw invalid(`\`${secret}\` has no place in what everybody can read`);
  const metadata = readMetadata(said, policy, 'none');
  const client = documentClient(url, metadata, policy);
  const far = redirects === 'own' && client.redirectUris.find((uri) => !isNear(client, uri));
  if (typeof far === 'string') throw invalid('a redirect URI is of another origin');
  return metadata;
}

const isNear = (client: DescribedClient, uri: string) => {
  const place = redirectPlace(client, uri);
  return place === 'own' || (place === 'device' && /^https?:/i.test(uri));
};

/** The client that a document describes. */
export const documentClient = (url: string, metadata: ClientMetadata, policy: ClientPolicy): DescribedClient => ({
  ...clientOf(url, metadata, policy),
  clientIdHost: new URL(url).host,
});

const invalid = (what: string) => new InvalidClientMetadataError(`Invalid client metadata: ${what}`);
