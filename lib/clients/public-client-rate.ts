import { TemporarilyUnavailableError } from '../errors/index.js';
import type { ClientRequest } from '../contracts/client-request.js';
import { isSelfRegistered } from './registration/self-registered.js';
import { addressOf, networkOf } from '../http/network.js';
import { rateOf } from '../options/value-checks.js';
import { MemoryCounts, type RequestRate } from '../limits/memory-counts.js';

/**
 * Limits the rate of requests by public clients from one network, at endpoints that store something for each request.
 * Self-registered clients are limited too, because an attacker can register a client with a secret. Other authenticated
 * clients are not limited. Requests are counted in the memory of this process. Requests from an unknown address are not
 * counted.
 */
export class PublicClientRate {
  private readonly counts: MemoryCounts | undefined;

  /** @param rate The limit per network. `false` disables it. */
  constructor(rate: RequestRate | false) {
    this.counts = rate === false ? undefined : new MemoryCounts(rate);
  }

  /**
   * Counts a request of a public or self-registered client, and verifies the limit of its network.
   * @throws {TemporarilyUnavailableError} With status 429, if the limit is exceeded. RFC 9126 §2.3
   */
  verify({
    client,
    authenticationMethod,
    request,
  }: Pick<ClientRequest, 'client' | 'authenticationMethod' | 'request'>): void {
    const address = addressOf(request);
    const isLimited = authenticationMethod === 'none' || isSelfRegistered(client);
    if (!this.counts || !isLimited || address === undefined) return;
    const retryAfter = this.counts.add(networkOf(address));
    if (retryAfter === 0) return;
    const detail = {
      reason: 'too many requests of public or self-registered clients from one network',
      given: networkOf(address),
    };
    throw new TemporarilyUnavailableError('Too many requests: try again later', { code: 429, retryAfter }).because(
      detail,
    );
  }
}

/** Accepts the option `rate` of a feature with a `PublicClientRate`. */
export const PUBLIC_CLIENT_RATE = rateOf(1_000_000, 'up to 1 000 000 requests per network');
