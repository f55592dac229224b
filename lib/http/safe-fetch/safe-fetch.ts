import { lookup as lookUpBySystem } from 'node:dns/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type BlockList, isIP, isIPv6 } from 'node:net';

import { withDeadline } from './deadline.js';
import { FetchError } from './fetch-error.js';
import { FetchSlots } from './fetch-slots.js';
import { lookUp } from './look-up.js';
import { documentRequest, type PostContent, requestPinned, type SentRequest } from './pinned-request.js';
import { readBody, readBytes, readJson, readText, verifyAccepted } from './read-response.js';
import { assertFetchOptions, type Lookup, type SafeFetchOptions } from './safe-fetch-options.js';
import { blockList, isLoopback, isPublicAddress, LOOPBACK } from './special-addresses.js';

/** The content and the headers of a fetched document. */
export interface FetchedContent<Body = Record<string, unknown>> {
  body: Body;
  headers: IncomingHttpHeaders;
}

/** A request to fetch, and the function that reads its response. */
interface FetchRequest<Body> {
  sent: SentRequest;
  /** Maximum size of the response in bytes. Default: the option `size`. */
  size?: number | undefined;
  /** The network of the client whose request caused the fetch. If omitted, the requester is not limited. */
  requester?: string | undefined;
  read: (response: IncomingMessage, size: number) => Promise<Body>;
}

/** A response with any status. */
export interface FetchedResponse extends FetchedContent<Buffer> {
  status: number;
}

/** The DNS look-up may take the timeout divided by this number. */
const LOOK_UP_DIVISOR = 3;

/**
 * Fetches URLs that clients or other parties provide, protected against SSRF. By default, only https URLs and public
 * addresses are allowed. The name is resolved once, all its addresses are checked, and the connection uses one of them,
 * so DNS rebinding has no effect. Redirects, cookies and proxies are not used. RFC 9700 §4.11, CIMD §8.6
 */
export class SafeFetch {
  private readonly options: SafeFetchOptions & Required<Pick<SafeFetchOptions, 'timeout' | 'size' | 'lookup'>>;
  private readonly allowed: BlockList;
  private readonly slots: FetchSlots;

  /**
   * @param configuredHosts The hosts that the operator has configured, each with its port, as in `URL.host`. They may
   * have private addresses and any port. Unless `lookup` is set, the system resolves their names, with its hosts file.
   * A host with a loopback address may be reached by http.
   * @throws {InvalidArgumentError} If an option is invalid.
   */
  constructor(
    { timeout = 3, size = 5120, lookup = lookUp, ...options }: SafeFetchOptions = {},
    private readonly configuredHosts: ReadonlySet<string> = new Set(),
  ) {
    const resolved = { ...options, timeout, size, lookup };
    assertFetchOptions(resolved);
    const { concurrency = 64, concurrencyPerHost = 4, allow = [] } = options;
    this.options = resolved;
    this.allowed = blockList(allow);
    this.slots = new FetchSlots(concurrency, concurrencyPerHost);
  }

  /** Whether a URL may be fetched, judging by its text alone. Its host name is not resolved. */
  isFetchable(text: string): boolean {
    return URL.canParse(text) && this.findUrlError(new URL(text)) === undefined;
  }

  /**
   * Fetches a JSON object.
   * @param requester The network of the client whose request caused this fetch, from `requesterNetwork()`. It limits
   * simultaneous fetches.
   * @throws {FetchError} If the URL is not allowed, the response cannot be read, or it is not a JSON object.
   */
  async json(text: string, requester?: string): Promise<FetchedContent> {
    return await this.fetchUrl(text, {
      sent: documentRequest('application/json', undefined),
      requester,
      read: readJson,
    });
  }

  /**
   * Fetches a text of single-byte characters.
   * @param accept The requested media types. The caller validates the media type and the content.
   * @param requester The network of the client whose request caused this fetch, from `requesterNetwork()`. It limits
   * simultaneous fetches.
   * @throws {FetchError} If the URL is not allowed, or if the response cannot be read.
   */
  async text(text: string, accept: string, requester?: string): Promise<FetchedContent<string>> {
    return await this.fetchUrl(text, { sent: documentRequest(accept, undefined), requester, read: readText });
  }

  /**
   * Fetches bytes.
   * @param accept The requested media types. The caller validates the media type and the content.
   * @throws {FetchError} If the URL is not allowed, or if the response cannot be read.
   */
  async bytes(text: string, accept: string): Promise<FetchedContent<Buffer>> {
    return await this.fetchUrl(text, { sent: documentRequest(accept, undefined), read: readBody });
  }

  /**
   * Sends content by POST. The receiver must respond with status 200 or 204.
   * @throws {FetchError} If the URL is not allowed, or if the receiver did not accept the content.
   */
  async post(text: string, content: PostContent): Promise<void> {
    await this.fetchUrl(text, { sent: documentRequest('*/*', content), read: verifyAccepted });
  }

  /**
   * Sends a request with any method and headers. Redirects are not followed.
   * @param size Maximum size of the response in bytes. Default: the option `size`.
   * @returns The response, whatever its status is.
   * @throws {FetchError} If the URL is not allowed, or if the response cannot be read.
   */
  async request(text: string, sent: SentRequest, size?: number): Promise<FetchedResponse> {
    let status = 0;
    const read = (response: IncomingMessage, limit: number) => {
      status = response.statusCode ?? 0;
      return readBytes(response, limit);
    };
    const content = await this.fetchUrl(text, { sent, size, read });
    return { ...content, status };
  }

  private async fetchUrl<Body>(text: string, fetchRequest: FetchRequest<Body>): Promise<FetchedContent<Body>> {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const error = url ? this.findUrlError(url) : 'it is not a valid URL';
    if (!url || error !== undefined) throw new FetchError('url', `${text} cannot be fetched: ${error}`);
    return this.slots.forHost(url, fetchRequest.requester, () => this.fetchInTime(url, fetchRequest));
  }

  /** Limits the time of the whole fetch, so that a host cannot prolong it by sending single bytes. */
  private async fetchInTime<Body>(url: URL, fetchRequest: FetchRequest<Body>): Promise<FetchedContent<Body>> {
    const { timeout } = this.options;
    const late = new FetchError('network', `${url.host} did not respond within ${timeout} s`);
    try {
      return await withDeadline(timeout, late, (signal) => this.fetch(url, signal, fetchRequest));
    } catch (error) {
      if (error instanceof FetchError) throw error;
      throw new FetchError('network', `${url.host} could not be reached: ${String(error)}`, { cause: error });
    }
  }

  private async fetch<Body>(
    url: URL,
    signal: AbortSignal,
    fetchRequest: FetchRequest<Body>,
  ): Promise<FetchedContent<Body>> {
    const addresses = await this.addressesOf(url);
    // The lowest address, so that a host with several addresses is always counted under the same one.
    return this.slots.forConnection(url, addresses.toSorted()[0]!, async () => {
      const { sent, read, size = this.options.size } = fetchRequest;
      const response = await requestPinned(url, addresses, { signal, sent, ca: this.options.ca });
      try {
        return { body: await read(response, size), headers: response.headers };
      } finally {
        response.destroy();
      }
    });
  }

  private async addressesOf(url: URL): Promise<readonly string[]> {
    const name = withoutBrackets(url.hostname);
    const addresses = isIP(name) ? [name] : name === 'localhost' ? LOOPBACK : await this.lookUp(name, url);
    if (addresses.length === 0) throw new FetchError('address', `the host name ${name} has no address`);
    // All addresses must be allowed: the connection may use any of them.
    const refused = addresses.find((address) => !this.mayConnect(address, url));
    if (refused === undefined) return addresses;
    throw new FetchError('address', `${name} resolves to ${refused}, which is not a public address`);
  }

  /** Resolves a host name within a part of the timeout, so that silent name servers release their slots early. */
  private lookUp(name: string, url: URL): Promise<readonly string[]> {
    const { timeout } = this.options;
    const lookup =
      this.options.lookup === lookUp && this.configuredHosts.has(url.host) ? systemLookUp : this.options.lookup;
    const late = new FetchError(
      'network',
      `the name servers of ${name} did not respond within ${timeout / LOOK_UP_DIVISOR} s`,
    );
    return this.slots.forLookUp(url, () =>
      withDeadline(timeout / LOOK_UP_DIVISOR, late, (signal) => lookup(name, signal)),
    );
  }

  private mayConnect(address: string, { protocol, host }: URL): boolean {
    const isConfigured = this.configuredHosts.has(host);
    if ((this.options.allowLoopback || isConfigured) && isLoopback(address)) return true;
    if (protocol !== 'https:') return false;
    if (isConfigured || isPublicAddress(address)) return true;
    return isIP(address) > 0 && this.allowed.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /** Returns why a URL is not allowed, before anything is resolved or fetched. `undefined` if it is allowed. */
  private findUrlError(url: URL): string | undefined {
    const { protocol, hostname, host, port, username, password } = url;
    const isConfigured = this.configuredHosts.has(host);
    const allowLoopback = this.options.allowLoopback === true || isConfigured;
    const name = withoutBrackets(hostname);
    const isNear = name === 'localhost' || name.endsWith('.localhost') || isLoopback(name);
    if (protocol !== 'https:' && !(protocol === 'http:' && allowLoopback && isNear)) return 'it is not https';
    if (username + password !== '') return 'it contains credentials';
    if (name === '' || name.endsWith('.')) return 'its host name is empty or ends with a dot';
    if (isIP(name) ? !this.mayConnect(name, url) : isNear && !allowLoopback) return 'its host is not a public address';
    // Other services must not receive requests, such as a mail server that could read them as mail.
    if (!isConfigured && port !== '' && Number(port) < 1024 && port !== '443')
      return 'its port is below 1024 and not 443';
    return undefined;
  }
}

const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');

/** Resolves a host name as other programs of this machine do. */
const systemLookUp: Lookup = async (hostname) =>
  (await lookUpBySystem(hostname, { all: true })).map(({ address }) => address);
