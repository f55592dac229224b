import type { CoreClient } from '../../model/model.js';
import { isObject } from '../../http/is-object.js';
import { JWKS, JWKS_URI } from './keys.js';

/**
 * Returns the keys of a client: its JWK set, or the URL of its JWK set. An empty object if it has no keys. RFC 7591 §2
 */
export function keysOf(client: CoreClient): { jwks?: Readonly<Record<string, unknown>>; uri?: string } {
  const jwks: unknown = JWKS.of(client);
  if (isObject(jwks)) return { jwks };
  const uri: unknown = JWKS_URI.of(client);
  return typeof uri === 'string' ? { uri } : {};
}

/** Maximum number of keys in a JWK set. */
const MAX_KEYS = 100;

/**
 * Returns the keys of a JWK set. `undefined` if the document is not a valid JWK set, or if it has more than 100 keys.
 * RFC 7517 §5
 */
export function keysIn(document: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  const keys: unknown = isObject(document) ? document['keys'] : undefined;
  return Array.isArray(keys) && keys.length <= MAX_KEYS && keys.every(isObject) ? keys : undefined;
}
