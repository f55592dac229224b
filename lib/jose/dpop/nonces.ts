import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../crypto/constant-time-equal.js';
import { capability } from '../../contracts/capability.js';
import type { DpopNonceOptions } from './options.js';

/** The capability key of the DPoP nonces of a server that requires them. */
export const NONCES = capability<Nonces>('DPoP nonces', 'dpop');

/**
 * The DPoP nonces of a server, derived from a secret and the time. All processes derive the same nonces, so nothing is
 * stored. Nonces of the token endpoint are also valid at the server's own resources, because clients keep one nonce for
 * each origin. RFC 9449 §8, §9
 */
export class Nonces {
  private readonly periodMs: number;

  constructor(
    private readonly secrets: readonly string[],
    { lifetime = 300 }: DpopNonceOptions,
  ) {
    this.periodMs = lifetime * 1000;
  }

  /** Returns the nonce to send to clients now. */
  current(): string {
    return computeNonce(this.secrets[0]!, this.period());
  }

  /**
   * Whether a nonce is the current, the previous or the next nonce of this server. The next one is accepted because the
   * clock of another process may be ahead.
   */
  isValid(nonce: unknown): boolean {
    if (typeof nonce !== 'string') return false;
    const period = this.period();
    return this.secrets.some((secret) =>
      [period, period - 1, period + 1].some((one) => constantTimeEqual(nonce, computeNonce(secret, one))),
    );
  }

  private period(): number {
    return Math.floor(Date.now() / this.periodMs);
  }
}

const computeNonce = (secret: string, period: number) =>
  createHmac('sha256', secret).update(`DPoP nonce ${period}`).digest('base64url');
