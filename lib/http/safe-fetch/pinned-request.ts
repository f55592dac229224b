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

/** A request as it is sent. */
export interface SentRequest {
  /** Default: `GET`. */
  method?: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
}

/** Returns the request that fetches a document, or that sends content by POST. */
export function documentRequest(accept: string, content: PostContent | undefined): SentRequest {
  if (!content) return { headers: { accept } };
  const { type, body, bearerToken } = content;
  const headers = {
    accept,
    'content-type': type,
    ...(bearerToken !== undefined && { authorization: `Bearer ${bearerToken}` }),
  };
  return { method: 'POST', headers, body };
}

/** Maximum size of the headers of a response in bytes. */
const MAX_HEADER_SIZE = 16_384;

/** Sends a request to one of the given addresses. The TLS certificate must be valid for the host name of the URL. */
export function requestPinned(
  url: URL,
  addresses: readonly string[],
  { signal, sent, ca }: { signal: AbortSignal; sent: SentRequest } & Pick<SafeFetchOptions, 'ca'>,
): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  const pinned: LookupFunction = (_name, { all }, callback) => {
    const checked = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all) callback(null, checked);
    else callback(null, checked[0]!.address, checked[0]!.family);
  };
  // New agents, because the agents of the application may use a proxy or keep connections and TLS sessions.
  const agent = isTls ? new HttpsAgent({ maxCachedSessions: 0 }) : new HttpAgent();
  const { method = 'GET', body, headers } = sent;
  const options = {
    agent,
    method,
    headers: {
      'user-agent': 'nest-oauth2',
      ...headers,
      'accept-encoding': 'identity',
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    signal,
    lookup: pinned,
    autoSelectFamily: true,
    maxHeaderSize: MAX_HEADER_SIZE,
    rejectUnauthorized: true,
    ...(ca && { ca }),
  };
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestHttps : requestHttp)(url, options, resolve);
    // Later errors are reported by the response stream to its reader.
    request.on('error', reject).end(body);
  });
}
