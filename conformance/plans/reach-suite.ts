import { lookup } from 'node:dns/promises';
import type { SafeFetchOptions } from 'nest-oauth2/features';

/**
 * Lets the server fetch documents of clients from the suite, which runs on this machine under a name of its hosts file.
 */
export const reachSuite: SafeFetchOptions = {
  allowLoopback: true,
  lookup: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
};
