import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

import type { SafeFetchOptions } from './safe-fetch-options.js';

/** What is handed over to somebody. */
export interface PostContent {
  /** Of what kind it is: `application/json`. */
  type: string;
  body: string;
  /** A token of theirs, by which they know whom it is from. RFC 6750 §2.1 */
  bearerToken?: string;
}

/** Sends the request to one of the addresses, under the name: whoever answers has to have the certificate of that. */
export function requestPinned(
  url: URL,
  addresses: readonly string[],
  {
    signal,
    accept,
    posted,
    ca,
  }: { signal: AbortSignal; accept: string; posted: PostContent | undefined } & Pick<SafeFetchOptions, 'ca'>,
): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  const pinned: LookupFunction = (_name, { all }, found) => {
    const checked = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all) found(null, checked);
    else found(null, checked[0]!.address, checked[0]!.family);
  };
  // Agents of its own: that of the host may know a proxy, or keep connections and sessions.
  const agent = isTls ? new HttpsAgent({ maxCachedSessions: 0 }) : new HttpAgent();
  const headers = {
    accept,
    'accept-encoding': 'identity',
    'user-agent': 'nest-oauth2',
    ...(posted && headersOf(posted)),
  };
  const options = {
    agent,
    method: posted ? 'POST' : 'GET',
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
    // Whatever goes wrong after the answer has begun, who reads it sees.
    request.on('error', reject).end(posted?.body);
  });
}

const headersOf = ({ type, body, bearerToken: bearer }: PostContent) => ({
  'content-type': type,
  'content-length': Buffer.byteLength(body),
  ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
});
