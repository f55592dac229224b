import type { JWK } from 'jose';
import { publicKeyMembers, findPublicKeyError } from '../../clients/public-key.js';
import { isObject } from '../../http/is-object.js';

/** Returns the public key in the header of a proof without other members, or what is wrong with it. RFC 9449 §4.2 */
export function publicKeyOf(given: unknown): JWK | string {
  if (!isObject(given)) return 'its header has the public key, `jwk`';
  return findPublicKeyError(given) ?? publicKeyMembers(given);
}
