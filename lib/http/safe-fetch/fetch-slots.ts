import { isIPv6 } from 'node:net';

import { networkOf } from '../network.js';
import { ReachableHosts } from './reachable-hosts.js';
import { FetchError } from './fetch-error.js';
import { suffixesOf } from './host-suffixes.js';
import { type Limit, Slots } from './slots.js';

/** The limits for a two-label domain, an address range and a requester are this multiple of the limit per host. */
const WIDE = 4;
/** The limit for a three-label domain is this multiple of the limit per host. */
const MEDIUM = 2;
/** The fraction of all slots that is reserved for hosts whose latest fetch succeeded. */
const RESERVED = 1 / 4;

/**
 * Limits simultaneous fetches, so that an attacker with slow hosts or name servers cannot block fetches from other
 * hosts. DNS look-ups and connections have separate slots. A quarter of them is reserved for hosts whose latest fetch
 * succeeded. The limits per host and address count those hosts separately.
 */
export class FetchSlots {
  private readonly fetches = new Slots(Infinity);
  private readonly lookUps: Slots;
  private readonly connections: Slots;
  private readonly reachable = new ReachableHosts();
  private readonly reserved: number;

  /**
   * @param concurrency Maximum number of simultaneous DNS look-ups, and separately of simultaneous connections.
   * @param perHost Maximum number of simultaneous fetches from one host name, and separately of connections to one
   * address.
   */
  constructor(
    concurrency: number,
    private readonly perHost: number,
  ) {
    this.lookUps = new Slots(concurrency);
    this.connections = new Slots(concurrency);
    this.reserved = Math.floor(concurrency * RESERVED);
  }

  /**
   * Runs a whole fetch within the limits of its host name, its domains and its requester.
   * @param requester The network of the client that caused the fetch. If `undefined`, the requester is not limited.
   * @throws {FetchError} With kind `busy`, if a limit is reached.
   */
  async forHost<T>(url: URL, requester: string | undefined, work: () => Promise<T>): Promise<T> {
    const { hostname } = url;
    const limits: Limit[] = [[`host ${hostname}`, this.perHost]];
    for (const suffix of suffixesOf(hostname)) {
      const isShort = suffix.split('.').length === 2;
      limits.push([`domain ${suffix}`, this.perHost * (isShort ? WIDE : MEDIUM)]);
    }
    if (requester !== undefined) limits.push([`requester ${requester}`, this.perHost * WIDE]);
    return await this.withSlots(this.fetches, url, limits, async () => {
      try {
        const result = await work();
        this.reachable.add(url);
        return result;
      } catch (error) {
        if (error instanceof FetchError && error.kind === 'network') this.reachable.delete(url);
        throw error;
      }
    });
  }

  /**
   * Runs the DNS look-up of a host name within the total number of simultaneous look-ups.
   * @throws {FetchError} With kind `busy`, if that number is reached.
   */
  async forLookUp<T>(url: URL, work: () => PromiseLike<T>): Promise<T> {
    return await this.withSlots(this.lookUps, url, [], work);
  }

  /**
   * Runs a request within the total number of connections and the limits of its IP address and address range.
   * @throws {FetchError} With kind `busy`, if a limit is reached.
   */
  async forConnection<T>(url: URL, address: string, work: () => Promise<T>): Promise<T> {
    const limits: Limit[] = [
      [`address ${networkOf(address)}`, this.perHost],
      [`network ${addressRangeOf(address)}`, this.perHost * WIDE],
    ];
    return await this.withSlots(this.connections, url, limits, work);
  }

  private withSlots<T>(slots: Slots, url: URL, limits: readonly Limit[], work: () => PromiseLike<T>): Promise<T> {
    if (!this.reachable.has(url)) return slots.run(limits, this.reserved, work);
    const separate = limits.map(([key, limit]): Limit => [`reachable ${key}`, limit]);
    return slots.run(separate, 0, work);
  }
}

/** Returns the first three groups of an address, which identify its IPv4 /24 or IPv6 /48. */
function addressRangeOf(address: string): string {
  const separator = isIPv6(address) && !networkOf(address).includes('.') ? ':' : '.';
  return networkOf(address).split(separator).slice(0, 3).join(separator);
}
