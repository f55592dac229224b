import { compactDecrypt, decodeProtectedHeader } from 'jose';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  type ContentEncryption,
  type KeyManagementAlgorithm,
} from '../encryption/algorithms.js';
import type { KeyRing } from '../keys/key-ring.js';

/** By what something may be encrypted. */
export interface AllowedEncryption {
  algorithms: readonly KeyManagementAlgorithm[];
  contentEncryption?: readonly ContentEncryption[];
}

/** Is it encrypted, as far as can be seen? RFC 7516 §3.1 */
export const isEncrypted = (jwt: string): boolean => jwt.split('.', 6).length === 5;

/**
 * The JWT that was encrypted to the server, which has to show by its signature whose it is; undefined: it cannot be read, and why is
 * told to nobody. One key is tried, once, so that it costs little; how long it may be, whoever asks has seen to. RFC 7516 §5.2, §11.5
 */
export async function decryptNested(
  ring: KeyRing,
  jwe: string,
  allowed: AllowedEncryption,
): Promise<string | undefined> {
  const header = headerOf(jwe);
  const alg = allowed.algorithms.find((one) => one === header?.['alg']);
  const enc = (allowed.contentEncryption ?? CONTENT_ENCRYPTION_ALGORITHMS).find((one) => one === header?.['enc']);
  const kid = header?.['kid'];
  // What was compressed may be longer than anybody would read, and its length tells of what is inside. RFC 7516 §4.1.3
  const isZipped = header?.['zip'] !== undefined;
  if (!alg || !enc || isZipped || (kid !== undefined && typeof kid !== 'string')) return undefined;
  const found = await ring.decryptionKey(alg, kid);
  if (!found) return undefined;
  try {
    const options = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [enc] };
    return new TextDecoder().decode((await compactDecrypt(jwe, found.key, options)).plaintext);
  } catch {
    // The key is good: whatever is wrong, the client has made it.
    return undefined;
  }
}

function headerOf(jwe: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return { ...decodeProtectedHeader(jwe) };
  } catch {
    return undefined;
  }
}
