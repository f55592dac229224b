import { isIPv6 } from 'node:net';

import { networkOf } from '../network.js';
import { ReachableHosts } from './reachable-hosts.js';
import { FetchError } from './fetch-error.js';
import { suffixesOf } from './host-suffixes.js';
import { type Limit, Slots } from './slots.js';

/** Maximum for a domain of two labels, a network of addresses and a requester, in multiples of the maximum per host. */
const WIDE = 4;
/** Maximum for a domain of three labels, in multiples of the maximum per host. */
const MEDIUM = 2;
/** The part of all slots that only hosts whose latest fetch succeeded can take. */
const RESERVED = 1 / 4;

/**
 * Limits simultaneous fetches, so that slow hosts or name servers of one attacker cannot block the fetches from other hosts. Look-ups and
 * connections have separate slots. Hosts whose latest fetch succeeded are counted separately from all other hosts.
 */
export class FetchSlots {
  private readonly fetches = new Slots(Infinity);
  private readonly lookUps: Slots;
  private readonly connections: Slots;
  private readonly reachable = new ReachableHosts();
  private readonly reserved: number;

  /**
   * @param concurrency Maximum number of simultaneous look-ups, and of simultaneous connections.
   * @param perHost Maximum number of simultaneous fetches from one host name, and from one address.
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
   * Runs a whole fetch within the limits of its host name, of its domains and of its requester.
   * @param requester The network of the client that caused the fetch. If undefined, it is not limited.
   * @throws {FetchError} `busy`, if a limit is reached.
   */
  async forHost<T>(hostname: string, requester: string | undefined, work: () => Promise<T>): Promise<T> {
    const limits: Limit[] = [[`host ${hostname}`, this.perHost]];
    for (const suffix of suffixesOf(hostname)) {
      const isShort = suffix.split('.').length === 2;
      limits.push([`domain ${suffix}`, this.perHost * (isShort ? WIDE : MEDIUM)]);
    }
    if (requester !== undefined) limits.push([`requester ${requester}`, this.perHost * WIDE]);
    return await this.withSlots(this.fetches, hostname, limits, async () => {
      try {
        const result = await work();
        this.reachable.add(hostname);
        return result;
      } catch (error) {
        if (error instanceof FetchError && error.kind === 'network') this.reachable.delete(hostname);
        throw error;
      }
    });
  }

  /** Runs the look-up of a host name. @throws {FetchError} `busy`, if a limit is reached. */
  async forLookUp<T>(hostname: string, work: () => PromiseLike<T>): Promise<T> {
    return await this.withSlots(this.lookUps, hostname, [], work);
  }

  /** Runs a request within the limits of the address and of its network. @throws {FetchError} `busy`, if a limit is reached. */
  async forConnection<T>(hostname: string, address: string, work: () => Promise<T>): Promise<T> {
    const limits: Limit[] = [
      [`address ${networkOf(address)}`, this.perHost],
      [`network ${addressRangeOf(address)}`, this.perHost * WIDE],
    ];
    return await this.withSlots(this.connections, hostname, limits, work);
  }

  private withSlots<T>(
    slots: Slots,
    hostname: string,
    limits: readonly Limit[],
    work: () => PromiseLike<T>,
  ): Promise<T> {
    if (!this.reachable.has(hostname)) return slots.run(limits, this.reserved, work);
    const own = limits.map(([key, most]): Limit => [`answered ${key}`, most]);
    return slots.run(own, 0, work);
  }
}

/** Returns the IPv4 /24 or the IPv6 /48 of an address. */
function addressRangeOf(address: string): string {
  const separator = isIPv6(address) && !networkOf(address).includes('.') ? ':' : '.';
  return networkOf(address).split(separator).slice(0, 3).join(separator);
}
