import { configurationError } from '../../errors/configuration-error.js';
import type { SecureContextOptions } from 'node:tls';

import { isObject } from '../is-object.js';
import { blockList } from './special-addresses.js';

/** A function that resolves a host name to IP addresses. */
export type Lookup = (hostname: string, signal: AbortSignal) => PromiseLike<readonly string[]>;

/** Options for fetching URLs that other parties provide, such as client metadata documents. */
export interface SafeFetchOptions {
  /**
   * Addresses and ranges that may be fetched although they are not public: `10.1.2.3`, `10.1.0.0/16`. Every client or
   * other party that provides a URL can then reach them. Default: none.
   */
  allow?: readonly string[];
  /** Allow loopback addresses, by http as well. For development only. Default: `false`. */
  allowLoopback?: boolean;
  /** Resolves host names. Default: queries the name servers of this machine and ignores its hosts file. */
  lookup?: Lookup;
  /** Trusted certificate authorities, instead of those of Node.js. */
  ca?: SecureContextOptions['ca'];
  /**
   * Timeout of a whole fetch in seconds, from the DNS look-up to the last byte. The look-up may take a third of it.
   * Default: `3`.
   */
  timeout?: number;
  /** Maximum size of a response in bytes. Default: `5120`. */
  size?: number;
  /**
   * Maximum number of simultaneous DNS look-ups, and of simultaneous connections. A quarter of them is reserved for
   * hosts whose latest fetch succeeded. Further fetches fail. Default: `64`.
   */
  concurrency?: number;
  /**
   * Maximum number of simultaneous fetches from one host name, and from one IPv4 address or IPv6 /64. Twice as many are
   * allowed from all hosts that share the last three labels. Four times as many are allowed from all hosts that share
   * the last two labels, from one IPv4 /24 or IPv6 /48, and for the requests of one network. Default: `4`.
   */
  concurrencyPerHost?: number;
}

/** The names of the fetch options. */
export const SAFE_FETCH_OPTIONS: { readonly [K in keyof SafeFetchOptions]-?: true } = {
  allow: true,
  allowLoopback: true,
  lookup: true,
  ca: true,
  timeout: true,
  size: true,
  concurrency: true,
  concurrencyPerHost: true,
};

/**
 * Verifies the options of a fetch.
 * @throws {InvalidArgumentError} If an option is unknown or invalid.
 */
export function assertFetchOptions(options?: SafeFetchOptions): void {
  const error = findFetchOptionsError(options);
  if (error !== undefined) throw configurationError(error);
}

/** Returns the configuration error for invalid fetch options. `undefined` if they are valid. */
export function findFetchOptionsError(options: SafeFetchOptions = {}): string | undefined {
  const names = Object.keys(SAFE_FETCH_OPTIONS).map((name) => `\`${name}\``);
  if (!isObject(options)) return `\`fetch\` must be an object with ${names.join(', ')}`;
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(SAFE_FETCH_OPTIONS, name));
  if (unknown !== undefined) return `unknown option \`${unknown}\` of a fetch: the options are ${names.join(', ')}`;
  const { allowLoopback, lookup } = options;
  if (allowLoopback !== undefined && typeof allowLoopback !== 'boolean')
    return '`allowLoopback` of a fetch must be true or false';
  if (lookup !== undefined && typeof lookup !== 'function') return '`lookup` of a fetch must be a function';
  const { allow = [], timeout = 3, size = 5120, concurrency = 64, concurrencyPerHost = 4 } = options;
  for (const [name, value] of Object.entries({ timeout, size, concurrency, concurrencyPerHost })) {
    if (!(typeof value === 'number' && value > 0 && value < 2 ** 20))
      return `\`${name}\` of a fetch must be a number above 0`;
  }
  if (!Array.isArray(allow)) return "`allow` of a fetch must be a list of addresses, such as ['10.1.0.0/16']";
  try {
    blockList(allow);
    return undefined;
  } catch (error) {
    return `${(error as Error).message} in \`allow\` of a fetch`;
  }
}
