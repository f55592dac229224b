import { hash } from 'node:crypto';
import { TemporarilyUnavailableError } from '../../errors/index.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import { type Proof, invalidProof } from './proof.js';

/** Maximum number of recent proofs that a process remembers if its model has no `once()`. */
const MAX_REMEMBERED = 500_000;

/**
 * Detects replayed DPoP proofs. The model remembers used proofs with `once()`. If the model of an API has no `once()`,
 * each process remembers only the proofs that it has seen itself. RFC 9449 §11.1
 */
export class ProofReplayCache {
  private current = new Set<string>();
  private previous = new Set<string>();
  private rotatedAt = -Infinity;

  /** @param seconds the number of seconds for which a used proof is remembered */
  constructor(private readonly seconds: number) {}

  /**
   * Marks a proof as used, and rejects it if it was used before. The replay key is `jti` together with the key
   * thumbprint and the URL.
   * @throws {InvalidDpopProofError} If the proof was already used.
   * @throws {TemporarilyUnavailableError} If this process remembers too many proofs.
   */
  async verifyUnused(model: Model, { jkt, htu, jti }: Proof): Promise<void> {
    const digest = hash('sha256', JSON.stringify(['DPoP', jkt, htu, jti]), 'base64url');
    const isFirst = hasOnce(model) ? await model.once(digest, this.seconds) : this.remember(digest);
    if (!isFirst) throw invalidProof('the proof was already used');
  }

  private remember(digest: string): boolean {
    const now = performance.now();
    if (now - this.rotatedAt >= this.seconds * 1000) {
      this.previous = now - this.rotatedAt < 2 * this.seconds * 1000 ? this.current : new Set();
      this.current = new Set();
      this.rotatedAt = now;
    }
    if (this.current.has(digest) || this.previous.has(digest)) return false;
    if (this.current.size >= MAX_REMEMBERED) {
      throw Object.assign(new TemporarilyUnavailableError('Temporarily unavailable: too many DPoP proofs'), {
        retryAfter: this.seconds,
      });
    }
    this.current.add(digest);
    return true;
  }
}
