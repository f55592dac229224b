import { mediaType } from '../http/media-type.js';
import { tryParseJson } from '../http/parse-json.js';
import { unavailable } from './unavailable.js';

/** The response of another server to a request for JSON. */
export interface JsonResponse {
  status: number;
  /** The parsed JSON content. `undefined` if the media type is not JSON or the content cannot be parsed. */
  body: unknown;
  /** The content as text, if its media type is the requested `textType`. Otherwise `undefined`. */
  text: string | undefined;
  /** The value of `Retry-After` in seconds, if the response contained it. RFC 9110 §10.2.3 */
  retryAfter: number | undefined;
}

/** Maximum size of a response in bytes, after decompression. Usual responses have a few thousand bytes. */
const MAX_SIZE = 65_536;

/** A request for JSON to another server. */
export interface JsonRequest extends Omit<RequestInit, 'redirect' | 'signal' | 'headers'> {
  headers?: Readonly<Record<string, string>>;
  /** A media type whose content is returned as text, in addition to JSON. */
  textType?: string;
  fetch: typeof fetch;
  signal: AbortSignal;
}

/**
 * Requests JSON from another server. Redirects are not followed, so that tokens and secrets are sent to no further
 * server. If the connection was closed, the request is repeated once.
 * @throws {TemporarilyUnavailableError} If there is no response, or if it is too large. If the signal was aborted, the
 * original error is thrown instead.
 */
export async function requestJson(
  url: string,
  { fetch, headers, textType, ...init }: JsonRequest,
): Promise<JsonResponse> {
  const request: RequestInit = {
    ...init,
    headers: { accept: 'application/json', ...headers },
    redirect: 'manual',
  };
  try {
    const response = await fetch(url, request).catch((error: unknown) => {
      // The server may have closed an idle connection. Repeating the request is safe.
      if (!CLOSED_CONNECTION_CODES.includes(codeOf(error)) || init.signal.aborted) throw error;
      return fetch(url, request);
    });
    const type = mediaType(response.headers.get('content-type')) ?? '';
    const isJson = JSON_TYPE.test(type);
    const isText = type === textType;
    const read = isJson || isText ? await readAll(response) : await discard(response);
    const body = isJson && read !== undefined ? tryParseJson(read) : undefined;
    return {
      status: response.status,
      body,
      text: isText ? read : undefined,
      retryAfter: secondsOf(response.headers.get('retry-after')),
    };
  } catch (error) {
    throw init.signal.aborted ? error : unavailable(`${url} cannot be read: ${reasonOf(error)}`, 1, error);
  }
}

/**
 * Media types of JSON, including those with the suffix `+json`, such as that of JWK sets. RFC 7517 §8.5, RFC 6839 §3.1
 */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

const CLOSED_CONNECTION_CODES: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/** Returns the error code of a failed `fetch()`, which is in its `cause`. */
const codeOf = (error: unknown) => (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;

async function readAll(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_SIZE) throw new Error(`the response is larger than ${MAX_SIZE} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function discard(response: Response): Promise<undefined> {
  // Cancelling an aborted response fails, which is harmless.
  await response.body?.cancel().catch(() => undefined);
  return undefined;
}

/** Parses `Retry-After` in seconds. The date form is ignored, because it requires synchronized clocks. */
function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,5}$/.test(header) ? Number(header) : undefined;
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: Partial<Error> };
  return String(codeOf(error) ?? cause?.message ?? message);
}
