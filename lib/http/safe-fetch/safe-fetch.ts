import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type BlockList, isIP, isIPv6 } from 'node:net';

import { refuse } from '../../refuse.js';
import { FetchError } from './fetch-error.js';
import { lookUp } from './look-up.js';
import { type Posted, requestPinned } from './pinned-request.js';
import { Places } from './places.js';
import { readBody, readJson, readText, verifyTaken } from './read-json.js';
import { fetchFault, type SafeFetchOptions } from './safe-fetch-options.js';
import { blockList, isLoopback, isPublicAddress, LOOPBACK } from './special-addresses.js';

/** What was fetched. */
export interface Fetched<Body = Record<string, unknown>> {
  body: Body;
  headers: IncomingHttpHeaders;
}

/** What is to be fetched, and who reads it. */
interface Wanted<Body> {
  accept: string;
  /** What is handed over; left out: nothing, it is only asked for. */
  posted?: Posted;
  read: (answer: IncomingMessage, size: number) => Promise<Body>;
}

/**
 * The only way in which this library asks or tells somebody whom somebody else has named: by https, at a public address. The
 * name is looked up once, all its addresses are checked, and the connection is made to one of these: a name that means
 * another address a moment later changes nothing. No redirect is followed, no cookie sent, no proxy asked.
 * RFC 9700 §4.11, CIMD §8.6
 */
export class SafeFetch {
  private readonly options: SafeFetchOptions & Required<Pick<SafeFetchOptions, 'timeout' | 'size' | 'lookup'>>;
  private readonly allowed: BlockList;
  private readonly hosts: Places;
  private readonly addresses: Places;

  /** @throws InvalidArgumentError for an option that cannot work */
  constructor({ timeout = 3, size = 5120, lookup = lookUp, ...options }: SafeFetchOptions = {}) {
    const given = { ...options, timeout, size, lookup };
    refuse(fetchFault(given));
    const { concurrency = 64, concurrencyPerHost = 4, allow = [] } = options;
    this.options = given;
    this.allowed = blockList(allow);
    this.hosts = new Places(concurrency, concurrencyPerHost);
    this.addresses = new Places(concurrency, concurrencyPerHost);
  }

  /** May this be fetched at all, as far as the text tells? */
  isFetchable(text: string): boolean {
    return URL.canParse(text) && this.faultOf(new URL(text)) === undefined;
  }

  /** Fetches a JSON object. @throws FetchError whenever there is none */
  async json(text: string): Promise<Fetched> {
    return await this.read(text, { accept: 'application/json', read: readJson });
  }

  /** Fetches text in ASCII. @param accept the media types that are wanted @throws FetchError whenever there is none */
  async text(text: string, accept: string): Promise<Fetched<string>> {
    return await this.read(text, { accept, read: readText });
  }

  /**
   * Fetches bytes.
   * @param accept The requested media types. The caller validates the content.
   * @throws {FetchError} If the response cannot be read.
   */
  async bytes(text: string, accept: string): Promise<Fetched<Buffer>> {
    return await this.read(text, { accept, read: readBody });
  }

  /** Hands something over by POST, to who answers 200 or 204. @throws FetchError whenever it was not taken */
  async post(text: string, posted: Posted): Promise<void> {
    await this.read(text, { accept: '*/*', posted, read: verifyTaken });
  }

  private async read<Body>(text: string, wanted: Wanted<Body>): Promise<Fetched<Body>> {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const fault = url ? this.faultOf(url) : 'it is no URL';
    if (!url || fault !== undefined) throw new FetchError('url', `${text} is not fetched: ${fault}`);
    return this.hosts.within(url.hostname, () => this.inTime(url, wanted));
  }

  /** One clock for all of it: whoever sends a byte at a time has no more of them. */
  private async inTime<Body>(url: URL, wanted: Wanted<Body>): Promise<Fetched<Body>> {
    const { timeout } = this.options;
    const clock = new AbortController();
    const late = new FetchError('network', `${url.host} did not answer within ${timeout} s`);
    let timer: NodeJS.Timeout | undefined;
    const end = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(late);
        clock.abort(late);
      }, timeout * 1000);
    });
    try {
      return await Promise.race([this.fetch(url, clock.signal, wanted), end]);
    } catch (error) {
      if (error instanceof FetchError) throw error;
      throw new FetchError('network', `${url.host} could not be asked: ${String(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
      clock.abort(late);
    }
  }

  private async fetch<Body>(url: URL, signal: AbortSignal, wanted: Wanted<Body>): Promise<Fetched<Body>> {
    const addresses = await this.addressesOf(url, signal);
    // However many names a host has, it is one.
    return this.addresses.within(addresses.toSorted()[0]!, async () => {
      const { accept, posted } = wanted;
      const answer = await requestPinned(url, addresses, { signal, accept, posted, ca: this.options.ca });
      try {
        return { body: await wanted.read(answer, this.options.size), headers: answer.headers };
      } finally {
        answer.destroy();
      }
    });
  }

  private async addressesOf(url: URL, signal: AbortSignal): Promise<readonly string[]> {
    const name = bare(url.hostname);
    const addresses = isIP(name) ? [name] : name === 'localhost' ? LOOPBACK : await this.options.lookup(name, signal);
    if (addresses.length === 0) throw new FetchError('address', `the name ${name} has no address`);
    // All of them: which one is taken would be for chance to say, or for who owns the name.
    const refused = addresses.find((address) => !this.mayAsk(address, url.protocol));
    if (refused === undefined) return addresses;
    throw new FetchError('address', `${name} is at ${refused}, which is no public address`);
  }

  private mayAsk(address: string, protocol: string): boolean {
    if (this.options.allowLoopback && isLoopback(address)) return true;
    if (protocol !== 'https:') return false;
    return (
      isPublicAddress(address) || (isIP(address) > 0 && this.allowed.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
    );
  }

  /** What is wrong with a URL, before anybody is asked anything. */
  private faultOf({ protocol, hostname, port, username, password }: URL): string | undefined {
    const { allowLoopback = false } = this.options;
    const name = bare(hostname);
    const isNear = name === 'localhost' || name.endsWith('.localhost') || isLoopback(name);
    if (protocol !== 'https:' && !(protocol === 'http:' && allowLoopback && isNear)) return 'it is not https';
    if (username + password !== '') return 'it has credentials in it';
    if (name === '' || name.endsWith('.')) return 'its host has no usual name';
    if (isIP(name) ? !this.mayAsk(name, protocol) : isNear && !allowLoopback) return 'it leads to no public address';
    // A mail server is no place for a document, and what is sent to it might be a mail.
    if (port !== '' && Number(port) < 1024 && port !== '443') return 'its port belongs to something else';
    return undefined;
  }
}

const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');
