import { lookup } from 'node:dns/promises';
import type { SafeFetchOptions } from 'nest-oauth2/features';

/** The server may ask the suite for what clients say is there, which is on this machine, under a name that its file of hosts knows. */
export const reachSuite: SafeFetchOptions = {
  allowLoopback: true,
  lookup: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
};
