import type { JWK } from 'jose';
import { publicKeyMembers, findPublicKeyError } from '../../clients/public-key.js';
import { isObject } from '../../http/is-object.js';

/**
 * Returns the public key that the header of a DPoP proof contains, without unrelated members. If it is missing or
 * invalid, returns the reason as text. RFC 9449 §4.2
 */
export function publicKeyOf(given: unknown): JWK | string {
  if (!isObject(given)) return 'the header of the proof has no public key `jwk`';
  return findPublicKeyError(given) ?? publicKeyMembers(given);
}
