import type { CoreClient } from '../../model/model.js';
import { isObject } from '../../http/is-object.js';
import { JWKS, JWKS_URI } from './keys.js';

/** Where the keys of a client are: here, or at a URL; neither: it has none. RFC 7591 §2 */
export function keysOf(client: CoreClient): { jwks?: Readonly<Record<string, unknown>>; uri?: string } {
  const jwks: unknown = JWKS.of(client);
  if (isObject(jwks)) return { jwks };
  const uri: unknown = JWKS_URI.of(client);
  return typeof uri === 'string' ? { uri } : {};
}

/** Keys of an honest party are a few. */
const MAX_KEYS = 100;

/** The keys of a document; undefined: it is no JWK set. RFC 7517 §5 */
export function keysIn(document: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  const keys: unknown = isObject(document) ? document['keys'] : undefined;
  return Array.isArray(keys) && keys.length <= MAX_KEYS && keys.every(isObject) ? keys : undefined;
}
