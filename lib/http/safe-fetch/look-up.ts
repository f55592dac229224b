import { Resolver } from 'node:dns/promises';

import { FetchError } from './fetch-error.js';

/**
 * Resolves a host name by querying the name servers directly. `dns.lookup()` would block one of the four threads of the
 * process on a slow name server, and would apply the hosts file and search domains.
 */
export async function lookUp(hostname: string, signal: AbortSignal): Promise<string[]> {
  // The timeout doubles with each attempt. The caller aborts the look-up by `signal`, by default after one second.
  const resolver = new Resolver({ timeout: 400, tries: 4 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = results.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > 0) return addresses;
    const [failed] = results as PromiseRejectedResult[];
    const { code } = (failed?.reason ?? {}) as { code?: string };
    // An unknown name must fail like a name with a private address, so that clients cannot probe the names of the
    // internal network.
    const kind = code === 'ENOTFOUND' || code === 'ENODATA' ? 'address' : 'network';
    throw new FetchError(kind, `the host name ${hostname} has no address`, { cause: failed?.reason });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
