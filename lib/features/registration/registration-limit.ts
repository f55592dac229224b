import { hash } from 'node:crypto';

import { TemporarilyUnavailableError } from '../../errors/index.js';
import type { OnceModel } from '../../model/model.js';
import { keepRecent } from '../../crypto/lru.js';

/** A rate limit for client registration: a maximum number of requests per time window. */
export interface RegistrationRate {
  requests: number;
  /** The length of the time window in seconds. */
  per: number;
}

const MAX_REMEMBERED = 10_000;

/**
 * Limits client registrations per time window, for all processes that share a store. Each registration claims a slot of
 * the window by `once()`. Slots that are known to be taken are not tried again.
 */
export class RegistrationLimit {
  /** The next slot that may be free, by window and registrant. The least recently used entry comes first. */
  private readonly nextSlots = new Map<string, number>();

  constructor(
    private readonly model: OnceModel,
    private readonly rate: RegistrationRate,
  ) {}

  /**
   * Counts a registration.
   * @param registrant The network or initial access token that the registration is counted for.
   * @throws {TemporarilyUnavailableError} With status 429, if the window has no free slot.
   */
  async count(registrant: string): Promise<void> {
    const { requests, per } = this.rate;
    const now = Date.now() / 1000;
    const key = hash('sha256', `registrations ${Math.floor(now / per)} ${registrant}`, 'base64url');
    for (let slot = this.nextSlots.get(key) ?? 0; slot < requests; slot++) {
      this.remember(key, slot + 1);
      // Stored for two windows, to tolerate clock skew.
      if (await this.model.once(`${key} ${slot}`, per * 2)) return;
    }
    const retryAfter = Math.ceil(per - (now % per));
    throw new TemporarilyUnavailableError('Too many clients were registered. Try again later', {
      code: 429,
      retryAfter,
    });
  }

  private remember(key: string, slot: number): void {
    keepRecent(this.nextSlots, key, slot, MAX_REMEMBERED);
  }
}
