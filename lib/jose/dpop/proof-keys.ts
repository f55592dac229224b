import { createPublicKey, KeyObject } from 'node:crypto';
import { errors, importJWK, type JWK } from 'jose';
import { keepRecent } from '../../crypto/lru.js';

/** Maximum number of remembered keys. A P-256 key takes about 5 KB. */
const MAX_KEYS = 1000;

/** A public key as `verifyJwt()` uses it. */
export type ProofKey = KeyObject | Awaited<ReturnType<typeof importJWK>>;

/**
 * Imports the public keys of DPoP proofs, and remembers those of verified proofs: a client signs many proofs with a key,
 * and importing a P-256 key takes as long as verifying a signature.
 */
export class ProofKeys {
  private readonly recent = new Map<string, KeyObject>();

  /**
   * Returns a public key.
   * @param jkt The JWK thumbprint of the key. RFC 7638
   * @throws {JWSInvalid} If the key is invalid.
   */
  import(jkt: string, jwk: JWK): ProofKey | Promise<ProofKey> {
    return this.recent.get(jkt) ?? importKey(jwk);
  }

  /** Remembers a key with which a proof was signed. The least recently used key is removed first. */
  remember(jkt: string, key: ProofKey | undefined): void {
    if (key instanceof KeyObject) keepRecent(this.recent, jkt, key, MAX_KEYS);
  }
}

/** Imports the key of a proof. `jose` imports ML-DSA keys, which older versions of Node do not support. RFC 9964 §4 */
function importKey(jwk: JWK): ProofKey | Promise<ProofKey> {
  if (jwk.kty === 'AKP') return importJWK(jwk);
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    throw new errors.JWSInvalid('The key of the proof is not a valid public key');
  }
}
