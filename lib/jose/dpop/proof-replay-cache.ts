import { hash } from 'node:crypto';
import { TemporarilyUnavailableError } from '../../errors/index.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import { type Proof, invalidProof } from './proof.js';

/** Proofs that a process remembers at once where its model does not. */
const MAX_REMEMBERED = 500_000;

/** Which proofs came already. The model remembers them; where an API lives apart, each process does. RFC 9449 §11.1 */
export class ProofReplayCache {
  private current = new Set<string>();
  private previous = new Set<string>();
  private rotatedAt = -Infinity;

  /** @param seconds for which a proof may be good */
  constructor(private readonly seconds: number) {}

  /**
   * Lets the first through who comes with it. Of another key, for another URL, the same `jti` is another one.
   * @throws InvalidDpopProofError for all others
   */
  async verifyUnused(model: Model, { jkt, htu, jti }: Proof): Promise<void> {
    const digest = hash('sha256', JSON.stringify(['DPoP', jkt, htu, jti]), 'base64url');
    const isFirst = hasOnce(model) ? await model.once(digest, this.seconds) : this.remember(digest);
    if (!isFirst) throw invalidProof('it is used once');
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
      throw Object.assign(new TemporarilyUnavailableError('Temporarily unavailable: too many proofs'), {
        retryAfter: this.seconds,
      });
    }
    this.current.add(digest);
    return true;
  }
}
