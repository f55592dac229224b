import type { JSONWebKeySet } from 'jose';
import { isObject } from '../options/kinds.js';

/** Keys of an honest party are a few. */
const MOST = 100;

/** The public keys of a document; undefined: it is none. RFC 7517 §5 */
export function readKeySet(body: unknown): JSONWebKeySet | undefined {
  const keys: unknown = isObject(body) ? body['keys'] : undefined;
  if (!Array.isArray(keys) || keys.length > MOST || !keys.every(isObject)) return undefined;
  return { keys: (keys as JSONWebKeySet['keys']).filter(isPublic) };
}

/** A secret that everybody may read signs nothing. RFC 8725 §2.1 */
const isPublic = ({ kty }: { kty?: unknown }) => kty !== 'oct';
