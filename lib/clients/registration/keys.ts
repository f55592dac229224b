import { clientField } from '../../contracts/client-field.js';
import type { JsonWebKeySet } from '../../contracts/client-metadata.js';
import {
  memberOf,
  hasCredentials,
  invalidMetadata,
  MAX_URI_LENGTH,
  readField,
  type UnverifiedMetadata,
} from './metadata-members.js';
import { hasPrivateMember } from '../private-members.js';
import { isKnownKind, findPublicKeyError } from '../public-key.js';

const MAX_KEYS = 16;

/** The client field for the public keys of a client. RFC 7591 §2 */
export const JWKS = clientField('jwks', isKeySet);

/** The client field for the URL of the public keys of a client. RFC 7591 §2 */
export const JWKS_URI = clientField('jwks_uri', isKeysUri);

/** Methods by which a client authenticates with its own key. RFC 7523 §2.2, OpenID Connect Core §9 */
const BY_KEY = new Set(['private_key_jwt', 'self_signed_tls_client_auth']);

/**
 * Reads the public keys in client metadata, or their URL. Empty if there are neither. RFC 7591 §2
 * @throws {InvalidClientMetadataError} If a key is invalid or not public, if both keys and URL are present, or if
 * `method` requires keys that are missing.
 */
export function readKeys(metadata: UnverifiedMetadata, method: string): { jwks?: JsonWebKeySet; jwks_uri?: string } {
  const uri = readField(metadata, JWKS_URI);
  if (uri !== undefined && memberOf(metadata, JWKS.name) !== undefined)
    throw invalidMetadata('`jwks` and `jwks_uri` must not be used together');
  const jwks = readField(metadata, JWKS, `must contain \`keys\`: up to ${MAX_KEYS} public keys`);
  if (jwks !== undefined) {
    const keys = jwks.keys as JsonWebKeySet['keys'];
    const keyError = keys.filter(isKnownKind).map(findPublicKeyError).find(Boolean);
    if (keyError !== undefined) throw invalidMetadata(`\`jwks\`: ${keyError}`);
    return { jwks: { keys } };
  }
  if (uri === undefined && BY_KEY.has(method)) throw invalidMetadata(`\`${method}\` needs \`jwks\` or \`jwks_uri\``);
  return uri === undefined ? {} : { jwks_uri: uri };
}

function isKeysUri(uri: unknown): uri is string {
  return (
    typeof uri === 'string' &&
    uri.length <= MAX_URI_LENGTH &&
    /^https:\/\/[\x21-\x7e]+$/i.test(uri) &&
    URL.canParse(uri) &&
    !hasCredentials(uri)
  );
}

function isKeySet(jwks: unknown): jwks is JsonWebKeySet {
  const keys: unknown = typeof jwks === 'object' && jwks !== null ? (jwks as { keys?: unknown }).keys : undefined;
  return Array.isArray(keys) && keys.length > 0 && keys.length <= MAX_KEYS && keys.every(isPublicKey);
}

function isPublicKey(key: unknown): key is UnverifiedMetadata {
  if (typeof key !== 'object' || key === null || Array.isArray(key)) return false;
  const { kty } = key as { kty?: unknown };
  return typeof kty === 'string' && kty !== 'oct' && !hasPrivateMember(key);
}
