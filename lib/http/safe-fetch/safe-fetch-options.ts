import type { SecureContextOptions } from 'node:tls';

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
  /** Seconds from the look-up of the name to the last byte. Default: 3 */
  timeout?: number;
  /** Bytes that an answer may have. Default: 5120 */
  size?: number;
  /** How many are fetched at once. Default: 64 */
  concurrency?: number;
  /** The same of one host, and of one address. Default: 4 */
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
