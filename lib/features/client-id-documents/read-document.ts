import { InvalidClientMetadataError } from '../../errors/index.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { ClientPolicy } from '../../clients/registration/client-policy.js';
import { clientFromMetadata, type MetadataClient } from '../../clients/registration/client-from-metadata.js';
import { readMetadata } from '../../clients/registration/read-metadata.js';
import { negotiateMethod } from './authentication-method.js';
import { redirectTarget } from './client-id-url.js';

/** Members that a client ID metadata document must not contain, because the document is public. CIMD §4.1 */
const SECRET_MEMBERS = ['client_secret', 'client_secret_expires_at'];

/** Client authentication methods without a shared secret. CIMD §4.1 */
const WITHOUT_SECRET = new Set(['none', 'private_key_jwt']);

/**
 * Returns the metadata policy for clients with a client ID metadata document, which allows only authentication methods
 * without a shared secret.
 */
export const documentPolicy = (policy: ClientPolicy): ClientPolicy => ({
  ...policy,
  authMethods: policy.authMethods.filter((method) => WITHOUT_SECRET.has(method)),
});

/**
 * Validates the members of a client ID metadata document, and returns them as client metadata. CIMD §4
 * @param redirects The option `redirects` of `clientIdDocuments()`.
 * @throws {InvalidClientMetadataError} If the document is invalid.
 * @throws {InvalidRedirectUriError} If a redirect URI is invalid.
 */
export function readDocument(
  url: string,
  members: Record<string, unknown>,
  { policy, redirects }: { policy: ClientPolicy; redirects: 'any' | 'own' },
): ClientMetadata {
  if (members['client_id'] !== url) throw invalidMetadata('`client_id` differs from the URL of the document');
  const secret = SECRET_MEMBERS.find((name) => Object.hasOwn(members, name));
  if (secret !== undefined) throw invalidMetadata(`\`${secret}\` must not be in a public document`);
  const method = negotiateMethod(members, policy);
  const metadata = readMetadata({ ...members, token_endpoint_auth_method: method }, policy);
  const client = clientFromMetadataDocument(url, metadata, policy);
  const far = redirects === 'own' && client.redirectUris.find((uri) => !isOwnOrLoopback(client, uri));
  if (typeof far === 'string')
    throw invalidMetadata(`the redirect URI \`${far}\` is at another origin than the document`);
  return metadata;
}

const isOwnOrLoopback = (client: MetadataClient, uri: string) => {
  const target = redirectTarget(client, uri);
  return target === 'own' || (target === 'device' && /^https?:/i.test(uri));
};

/** Returns the client that a client ID metadata document describes. */
export const clientFromMetadataDocument = (
  url: string,
  metadata: ClientMetadata,
  policy: ClientPolicy,
): MetadataClient => ({
  ...clientFromMetadata(url, metadata, policy),
  clientIdHost: new URL(url).host,
});

const invalidMetadata = (reason: string) => new InvalidClientMetadataError(`Invalid client metadata: ${reason}`);
