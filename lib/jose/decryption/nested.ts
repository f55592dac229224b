import { compactDecrypt, decodeProtectedHeader } from 'jose';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  type ContentEncryption,
  type KeyManagementAlgorithm,
} from '../encryption/algorithms.js';
import type { KeyRing } from '../keys/key-ring.js';

/** The key management and content encryption algorithms that are accepted for an encrypted JWT. */
export interface AllowedEncryption {
  algorithms: readonly KeyManagementAlgorithm[];
  contentEncryption?: readonly ContentEncryption[];
}

/** Whether a text has the five parts of an encrypted JWT. RFC 7516 §3.1 */
export const isEncrypted = (jwt: string): boolean => jwt.split('.', 6).length === 5;

/**
 * Decrypts a JWT that was encrypted to this server. The caller must limit the length of the input and verify the
 * signature of the result. Returns `undefined` for every failure, so that errors reveal nothing about the key. Only one
 * key is tried, to limit the cost. RFC 7516 §5.2, §11.5
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
  // Reject compression: the content may become huge, and its compressed length reveals information about it.
  // RFC 7516 §4.1.3
  const isZipped = header?.['zip'] !== undefined;
  if (!alg || !enc || isZipped || (kid !== undefined && typeof kid !== 'string')) return undefined;
  const decryptionKey = await ring.decryptionKey(alg, kid);
  if (!decryptionKey) return undefined;
  try {
    const options = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [enc] };
    return new TextDecoder().decode((await compactDecrypt(jwe, decryptionKey.key, options)).plaintext);
  } catch {
    // The key of this server is valid, so the value that the client sent is the cause.
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
