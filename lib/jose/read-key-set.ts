import type { JSONWebKeySet } from 'jose';
import { findPublicKeyError } from '../clients/public-key.js';
import { keysIn } from '../clients/registration/registered-keys.js';

/**
 * Returns the usable public keys of a JWK set, or `undefined` if the document is not a JWK set. Keys that are private,
 * weak, expensive to use or of an unknown type are ignored. RFC 7517 §5, RFC 8725 §2.1
 */
export function readKeySet(document: unknown): JSONWebKeySet | undefined {
  const keys = keysIn(document)?.filter((jwk) => findPublicKeyError(jwk) === undefined);
  return keys && { keys: keys as unknown as JSONWebKeySet['keys'] };
}
