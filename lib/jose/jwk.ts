import type { JsonWebKey } from 'node:crypto';

/** A JSON Web Key. RFC 7517 §4 */
export interface Jwk extends JsonWebKey {
  kid?: string;
  alg?: string;
  use?: string;
}

/** A JWK set: a list of keys. RFC 7517 §5 */
export interface JwkSet {
  keys: readonly Jwk[];
}
