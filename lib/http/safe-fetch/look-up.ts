import { Resolver } from 'node:dns/promises';

import { FetchError } from './fetch-error.js';

/**
 * Asks the name servers. Not by `dns.lookup`, which holds one of the four threads that the whole process shares for as long as
 * a slow name server likes; nor does a file of hosts or a search domain make another host of the name.
 */
export async function lookUp(hostname: string, signal: AbortSignal): Promise<string[]> {
  // The pauses double with each try. The caller ends the look-up by `signal`, in 1 s by default.
  const resolver = new Resolver({ timeout: 400, tries: 4 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > 0) return addresses;
    const [failed] = found as PromiseRejectedResult[];
    const { code } = (failed?.reason ?? {}) as { code?: string };
    // That there is no such name must look as if it led to a private address: nobody is told what names this network has.
    const fault = code === 'ENOTFOUND' || code === 'ENODATA' ? 'address' : 'network';
    throw new FetchError(fault, `the name ${hostname} has no address`, { cause: failed?.reason });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
