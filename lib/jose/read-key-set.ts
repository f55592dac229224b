import type { JSONWebKeySet } from 'jose';
import { keysIn } from '../features/client-metadata/registered-keys.js';

/** The public keys of a document; undefined: it is none. A secret that everybody may read signs nothing. RFC 7517 §5, RFC 8725 §2.1 */
export function readKeySet(document: unknown): JSONWebKeySet | undefined {
  const keys = keysIn(document)?.filter(({ kty }) => kty !== 'oct');
  return keys && { keys: keys as unknown as JSONWebKeySet['keys'] };
}
