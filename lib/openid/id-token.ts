import { createHash } from 'node:crypto';
import { hashOf, type SigningAlgorithm } from '../jose/algorithms.js';
import type { ClientSigner } from '../jose/encryption/client-signer.js';

/** An ID token that is all but signed: what can fail without a key's owner has been done. OpenID Connect Core §2 */
export interface PreparedIdToken {
  readonly signer: ClientSigner;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** What stands beside an ID token, to which it is bound. */
interface BoundValues {
  accessToken?: string | undefined;
  code?: string | undefined;
}

/** Signs it, bound to what it is given out with, and encrypts it then. OpenID Connect Core §3.1.3.6, §3.3.2.11, §16.14 */
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

/** Returns the left half of a hash, by the hash function of the signature algorithm. OpenID Connect Core §3.1.3.6 */
function halfHash(value: string, alg: SigningAlgorithm): string {
  const name = hashOf(alg);
  const digest = createHash(name, name === 'shake256' ? { outputLength: 64 } : {})
    .update(value)
    .digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
