import { configurationError } from '../../errors/configuration-error.js';
import type { SecureContextOptions } from 'node:tls';

import { isObject } from '../is-object.js';
import { blockList } from './special-addresses.js';

/** Finds the addresses of a name. */
export type Lookup = (hostname: string, signal: AbortSignal) => PromiseLike<readonly string[]>;

/** How what others name is fetched. */
export interface SafeFetchOptions {
  /**
   * Addresses that may be asked though they are not public: `10.1.2.3`, `10.1.0.0/16`. Whoever names a URL reaches all that is
   * listed here. Default: none
   */
  allow?: readonly string[];
  /** For development: loopback addresses may be asked, by http too. Default: false */
  allowLoopback?: boolean;
  /** Finds the addresses of a name. Default: the name servers of this machine are asked, without its file of hosts */
  lookup?: Lookup;
  /** Certificate authorities to trust in place of those that Node knows. */
  ca?: SecureContextOptions['ca'];
  /** Seconds from the look-up of the host name to the last byte. The look-up may take a third of it. Default: 3 */
  timeout?: number;
  /** Bytes that an answer may have. Default: 5120 */
  size?: number;
  /**
   * Maximum number of simultaneous look-ups of host names, and of simultaneous connections. A quarter of them is reserved for hosts
   * whose latest fetch succeeded. Further fetches are refused. Default: 64
   */
  concurrency?: number;
  /**
   * Maximum number of simultaneous fetches from one host name, and from one IPv4 address or IPv6 /64. Two times as many from all host names
   * with the same last three labels. Four times as many from host names with the same last two labels, from one IPv4 /24 or IPv6 /48,
   * and for requests from one network. Default: 4
   */
  concurrencyPerHost?: number;
}

/** Their names. */
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

/** Verifies the options of a fetch. @throws {InvalidArgumentError} If an option is unknown or invalid. */
export function assertFetchOptions(options?: SafeFetchOptions): void {
  const fault = findFetchOptionsError(options);
  if (fault !== undefined) throw configurationError(fault);
}

/** Returns an error message for invalid options of a fetch. */
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
      return `\`${name}\` of a fetch is a number above 0`;
  }
  if (!Array.isArray(allow)) return "`allow` of a fetch must be a list of addresses, such as ['10.1.0.0/16']";
  try {
    blockList(allow);
    return undefined;
  } catch (error) {
    return `${(error as Error).message}, in \`allow\` of a fetch`;
  }
}
