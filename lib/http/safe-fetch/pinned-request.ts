import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

import type { SafeFetchOptions } from './safe-fetch-options.js';

/** Sends the request to one of the addresses, under the name: whoever answers has to have the certificate of that. */
export function requestPinned(
  url: URL,
  addresses: readonly string[],
  { signal, ca }: { signal: AbortSignal } & Pick<SafeFetchOptions, 'ca'>,
): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  const pinned: LookupFunction = (_name, { all }, found) => {
    const checked = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all) found(null, checked);
    else found(null, checked[0]!.address, checked[0]!.family);
  };
  // Agents of its own: that of the host may know a proxy, or keep connections and sessions.
  const agent = isTls ? new HttpsAgent({ maxCachedSessions: 0 }) : new HttpAgent();
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'nest-oauth2' };
  const options = {
    agent,
    headers,
    signal,
    lookup: pinned,
    autoSelectFamily: true,
    maxHeaderSize: 8192,
    rejectUnauthorized: true,
    ...(ca && { ca }),
  };
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestHttps : requestHttp)(url, options, resolve);
    request.once('error', reject).end();
  });
}
