import { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { Endpoint } from '../contracts/feature.js';
import { InvalidRequestError } from '../errors/index.js';
import { FORM, mediaType } from '../http/media-type.js';
import { tryParseJson } from '../http/parse-json.js';

/** Maximum size of the content of a request, in bytes. */
export const CONTENT_LIMIT = 64 * 1024;

/** The media types of request bodies, by the `content` of an endpoint. */
export const CONTENT_TYPES = { form: FORM, json: 'application/json' } as const;

/** Parses form content. A repeated parameter becomes a list, which the engine rejects. */
export const parseForm = (text: string): Record<string, unknown> => parse(text, '&', '=', { maxKeys: 0 });

/** A request as a web framework received it. Its content may already be parsed. */
interface Message {
  readonly headers: object;
  body?: unknown;
}

/**
 * Reads and parses the content of a request into its `body`. It does nothing if the web framework has parsed the
 * content, or if its media type is not the one of the endpoint.
 * @throws {InvalidRequestError} If the content is too large, has a content encoding such as gzip, is incomplete or
 * cannot be parsed.
 */
export async function readContent(message: Message, { content = 'form' }: Pick<Endpoint, 'content'>): Promise<void> {
  if (message.body !== undefined || !(message instanceof IncomingMessage) || message.readableEnded) return;
  if (mediaType(message.headers['content-type']) !== CONTENT_TYPES[content]) return;
  const encoding = message.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new InvalidRequestError('Invalid request: content must not have a content encoding');
  const target: Message = message;
  target.body = (content === 'json' ? parseJson : parseForm)(await readText(message));
}

function parseJson(text: string): unknown {
  const value = tryParseJson(text);
  if (value === undefined) throw new InvalidRequestError('Invalid request: content cannot be read');
  return value;
}

function readText(stream: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= CONTENT_LIMIT) chunks.push(chunk);
      // The remaining data are read and discarded: closing the connection with unread data could lose the response.
      else reject(new InvalidRequestError('Invalid request: content is too large', { code: 413 }));
    });
    stream.once('end', () => resolve(Buffer.concat(chunks).toString()));
    const stop = () => reject(new InvalidRequestError('Invalid request: content is incomplete'));
    stream.once('error', stop).once('close', stop);
  });
}
