import { hash } from 'node:crypto';

import { TemporarilyUnavailableError } from '../../errors/index.js';
import type { OnceModel } from '../../model/model.js';
import { keepRecent } from '../../crypto/lru.js';

/** How often somebody may register a client. */
export interface RegistrationRate {
  requests: number;
  /** Seconds. */
  per: number;
}

const MAX_REMEMBERED = 10_000;

/**
 * So many in so many seconds, for all processes on one store: each takes one of the places of the window, and a place is
 * taken once. What is known to be full is not asked about again.
 */
export class RegistrationLimit {
  /** The first place that may be free, by window; the oldest first. */
  private readonly nextSlots = new Map<string, number>();

  constructor(
    private readonly model: OnceModel,
    private readonly rate: RegistrationRate,
  ) {}

  /** @throws TemporarilyUnavailableError, 429, when there is no place */
  async count(registrant: string): Promise<void> {
    const { requests, per } = this.rate;
    const now = Date.now() / 1000;
    const key = hash('sha256', `registrations ${Math.floor(now / per)} ${registrant}`, 'base64url');
    for (let place = this.nextSlots.get(key) ?? 0; place < requests; place++) {
      this.remember(key, place + 1);
      // Twice as long as the window: clocks differ.
      if (await this.model.once(`${key} ${place}`, per * 2)) return;
    }
    const retryAfter = Math.ceil(per - (now % per));
    throw new TemporarilyUnavailableError('Too many clients were registered: try again later', {
      code: 429,
      retryAfter,
    });
  }

  private remember(key: string, slot: number): void {
    keepRecent(this.nextSlots, key, slot, MAX_REMEMBERED);
  }
}
