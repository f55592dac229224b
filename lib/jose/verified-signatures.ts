import { hash } from 'node:crypto';
import { keepRecent } from '../crypto/lru.js';

/** Maximum number of remembered tokens. They take about 2 MB. */
const MAX_TOKENS = 10_000;

/**
 * Remembers which tokens have a valid signature, because a client sends the same access token many times. Only the
 * signature is remembered: the caller finds the key and checks the claims each time. It stores hashes of the tokens.
 */
export class VerifiedSignatures {
  private readonly keys = new Map<string, unknown>();

  /**
   * Runs `verify`, unless the signature of this token was verified with the same key before.
   * @throws The error of `verify`, which is not remembered.
   */
  async verify(token: string, key: unknown, verify: () => Promise<void>): Promise<void> {
    const digest = hash('sha256', token, 'base64url');
    if (this.keys.get(digest) === key) return;
    await verify();
    keepRecent(this.keys, digest, key, MAX_TOKENS);
  }
}
