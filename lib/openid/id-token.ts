import { createHash } from 'node:crypto';
import { hashOf, type SigningAlgorithm } from '../jose/algorithms.js';
import type { ClientSigner } from '../jose/encryption/client-signer.js';

/**
 * An ID token that is ready to be signed. Everything that can fail, except the signature, has been done. OpenID Connect
 * Core §2
 */
export interface PreparedIdToken {
  readonly signer: ClientSigner;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The access token and the code that are returned together with an ID token. The ID token contains their hashes. */
interface BoundValues {
  accessToken?: string | undefined;
  code?: string | undefined;
}

/**
 * Signs an ID token with the hashes of the access token and the code, and encrypts it if the client has registered
 * encryption. OpenID Connect Core §3.1.3.6, §3.3.2.11, §16.14
 */
export async function signIdToken(
  { signer, claims }: PreparedIdToken,
  { accessToken, code }: BoundValues,
): Promise<string> {
  return await signer.sign(
    { typ: 'JWT' },
    {
      ...claims,
      ...(accessToken !== undefined && { at_hash: halfHash(accessToken, signer.alg) }),
      ...(code !== undefined && { c_hash: halfHash(code, signer.alg) }),
    },
  );
}

/**
 * Returns the left half of the hash of a value, for `at_hash` and `c_hash`. The signature algorithm determines the hash
 * function. OpenID Connect Core §3.1.3.6
 */
function halfHash(value: string, alg: SigningAlgorithm): string {
  const name = hashOf(alg);
  const digest = createHash(name, name === 'shake256' ? { outputLength: 64 } : {})
    .update(value)
    .digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
