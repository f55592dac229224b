import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

import type { SafeFetchOptions } from './safe-fetch-options.js';

/** The content of a POST request to another server. */
export interface PostContent {
  /** The media type, such as `application/json`. */
  type: string;
  body: string;
  /** A token that the receiver issued, sent in the `Authorization` header. RFC 6750 §2.1 */
  bearerToken?: string;
}

/** Sends a request to one of the given addresses. The TLS certificate must be valid for the host name of the URL. */
export function requestPinned(
  url: URL,
  addresses: readonly string[],
  {
    signal,
    accept,
    posted: content,
    ca,
  }: { signal: AbortSignal; accept: string; posted: PostContent | undefined } & Pick<SafeFetchOptions, 'ca'>,
): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  const pinned: LookupFunction = (_name, { all }, callback) => {
    const checked = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all) callback(null, checked);
    else callback(null, checked[0]!.address, checked[0]!.family);
  };
  // New agents, because the agents of the application may use a proxy or keep connections and TLS sessions.
  const agent = isTls ? new HttpsAgent({ maxCachedSessions: 0 }) : new HttpAgent();
  const headers = {
    accept,
    'accept-encoding': 'identity',
    'user-agent': 'nest-oauth2',
    ...(content && headersOf(content)),
  };
  const options = {
    agent,
    method: content ? 'POST' : 'GET',
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
    // Later errors are reported by the response stream to its reader.
    request.on('error', reject).end(content?.body);
  });
}

const headersOf = ({ type, body, bearerToken }: PostContent) => ({
  'content-type': type,
  'content-length': Buffer.byteLength(body),
  ...(bearerToken !== undefined && { authorization: `Bearer ${bearerToken}` }),
});
