import { mediaType } from '../http/media-type.js';
import { tryParseJson } from '../http/parse-json.js';
import { unavailable } from './unavailable.js';

/** What another server answered. */
export interface JsonResponse {
  status: number;
  /** Undefined: there was no JSON. */
  body: unknown;
  /** What came as the type of text that was asked for. */
  text: string | undefined;
  /** Seconds, if it said. RFC 9110 §10.2.3 */
  retryAfter: number | undefined;
}

/** Bytes of an answer that are read, decompressed: those of an honest server are a few thousand. */
const MAX_SIZE = 65_536;

/** Who asks, and until when. */
export interface JsonRequest extends Omit<RequestInit, 'redirect' | 'signal' | 'headers'> {
  headers?: Readonly<Record<string, string>>;
  /** A media type that is read as text, beside JSON. */
  textType?: string;
  fetch: typeof fetch;
  signal: AbortSignal;
}

/**
 * Asks another server for JSON. Redirects are not followed: a token or a secret is for the one that was asked.
 * @throws TemporarilyUnavailableError when there is no answer, or one too large
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
      // The connection may have been an old one that the server has closed meanwhile, and nothing is changed by asking.
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
    throw init.signal.aborted ? error : unavailable(`${url} gives no answer: ${reasonOf(error)}`, 1, error);
  }
}

/** Keys have a type of their own, as many things of JSON. RFC 7517 §8.5, RFC 6839 §3.1 */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

const CLOSED_CONNECTION_CODES: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/** `fetch` says what happened in the cause. */
const codeOf = (error: unknown) => (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;

async function readAll(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early ends the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_SIZE) throw new Error(`it is larger than ${MAX_SIZE} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function discard(response: Response): Promise<undefined> {
  // One that was cut off has nothing left to cancel.
  await response.body?.cancel().catch(() => undefined);
  return undefined;
}

/** A date is not read: the clocks would have to agree. */
function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,5}$/.test(header) ? Number(header) : undefined;
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: Partial<Error> };
  return String(codeOf(error) ?? cause?.message ?? message);
}
