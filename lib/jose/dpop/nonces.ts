import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../crypto/constant-time-equal.js';
import type { DpopNonceOptions } from './options.js';

/**
 * Nonces that every process makes alike, of a secret and the time: nothing is kept. Those of the server are good at its own resources
 * too: clients keep one for each origin. RFC 9449 §8, §9
 */
export class Nonces {
  private readonly secrets: readonly string[];
  private readonly periodMs: number;

  constructor({ secret, lifetime = 300 }: DpopNonceOptions) {
    this.secrets = [secret].flat();
    this.periodMs = lifetime * 1000;
  }

  /** The one that a client is given now. */
  current(): string {
    return computeNonce(this.secrets[0]!, this.period());
  }

  /** The one before is good too, and the next one: another process may be ahead. */
  isValid(nonce: unknown): boolean {
    if (typeof nonce !== 'string') return false;
    const turn = this.period();
    return this.secrets.some((secret) =>
      [turn, turn - 1, turn + 1].some((one) => constantTimeEqual(nonce, computeNonce(secret, one))),
    );
  }

  private period(): number {
    return Math.floor(Date.now() / this.periodMs);
  }
}

const computeNonce = (secret: string, turn: number) =>
  createHmac('sha256', secret).update(`DPoP nonce ${turn}`).digest('base64url');
