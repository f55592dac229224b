import { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { FORM, mediaType } from '../../lib/http/media-type.js';
import { InvalidRequestError } from '../../lib/index.js';
import { parsedJson } from '../../lib/http/parse-json.js';
import type { Endpoint } from './endpoint.js';
import type { NativeRequest } from './http-adapter.js';

/** Bytes a form may have: generous for OAuth, and no burden to hold in memory. */
export const FORM_LIMIT = 64 * 1024;

/** Text of a form as parameters; a repeated one becomes a list, which the engine refuses. */
export const parseForm = (text: string): Record<string, unknown> => parse(text, '&', '=', { maxKeys: 0 });

/** The media types of what requests carry. */
export const TYPES = { form: FORM, json: 'application/json' } as const;

/**
 * Reads what a request carries when its host has no parser for that; what somebody has parsed is left as it is.
 * @throws InvalidRequestError when it is too large or encoded
 */
export async function readContent(
  native: NativeRequest,
  { content = 'form' }: Pick<Endpoint, 'content'>,
): Promise<void> {
  if (native.body !== undefined || !(native instanceof IncomingMessage) || native.readableEnded) return;
  if (mediaType(native.headers['content-type']) !== TYPES[content]) return;
  const encoding = native.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new InvalidRequestError('Invalid request: content must not be encoded');
  native.body = (content === 'json' ? parseJson : parseForm)(await readText(native));
}

function parseJson(text: string): unknown {
  const said = parsedJson(text);
  if (said === undefined) throw new InvalidRequestError('Invalid request: content cannot be read');
  return said;
}

function readText(stream: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= FORM_LIMIT) chunks.push(chunk);
      // Reading goes on: a connection closed on unread data would take our answer with it.
      else reject(new InvalidRequestError('Invalid request: content is too large', { code: 413 }));
    });
    stream.once('end', () => resolve(Buffer.concat(chunks).toString()));
    const stop = () => reject(new InvalidRequestError('Invalid request: content is incomplete'));
    stream.once('error', stop).once('close', stop);
  });
}
