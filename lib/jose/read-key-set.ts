import type { JSONWebKeySet } from 'jose';
import { findPublicKeyError } from '../clients/public-key.js';
import { keysIn } from '../clients/registration/registered-keys.js';

/**
 * Returns the public keys of a JWK set that this server may work with, or `undefined` if the document is no JWK set. Keys that are
 * secret, weak, expensive or of an unknown type are ignored. RFC 7517 §5, RFC 8725 §2.1
 */
export function readKeySet(document: unknown): JSONWebKeySet | undefined {
  const keys = keysIn(document)?.filter((jwk) => findPublicKeyError(jwk) === undefined);
  return keys && { keys: keys as unknown as JSONWebKeySet['keys'] };
}
