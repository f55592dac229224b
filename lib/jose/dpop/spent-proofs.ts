import { hash } from 'node:crypto';
import { TemporarilyUnavailableError } from '../../errors/index.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import { type Proof, refused } from './proof.js';

/** Proofs that a process remembers at once where its model does not. */
const MOST = 500_000;

/** Which proofs came already. The model remembers them; where an API lives apart, each process does. RFC 9449 §11.1 */
export class SpentProofs {
  private recent = new Set<string>();
  private before = new Set<string>();
  private turnedAt = -Infinity;

  /** @param seconds for which a proof may be good */
  constructor(private readonly seconds: number) {}

  /**
   * Lets the first through who comes with it. Of another key, for another URL, the same `jti` is another one.
   * @throws InvalidDpopProofError for all others
   */
  async verifyFirst(model: Model, { jkt, htu, jti }: Proof): Promise<void> {
    const digest = hash('sha256', JSON.stringify(['DPoP', jkt, htu, jti]), 'base64url');
    const isFirst = hasOnce(model) ? await model.once(digest, this.seconds) : this.remember(digest);
    if (!isFirst) throw refused('it is used once');
  }

  private remember(digest: string): boolean {
    const now = performance.now();
    if (now - this.turnedAt >= this.seconds * 1000) {
      this.before = now - this.turnedAt < 2 * this.seconds * 1000 ? this.recent : new Set();
      this.recent = new Set();
      this.turnedAt = now;
    }
    if (this.recent.has(digest) || this.before.has(digest)) return false;
    if (this.recent.size >= MOST) {
      throw Object.assign(new TemporarilyUnavailableError('Temporarily unavailable: too many proofs'), {
        retryAfter: this.seconds,
      });
    }
    this.recent.add(digest);
    return true;
  }
}
