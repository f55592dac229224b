import type { IncomingMessage } from 'node:http';

import { mediaType, matchesMediaType } from '../media-type.js';
import { FetchError } from './fetch-error.js';
import { isObject } from '../is-object.js';

/** Reads an answer that must be a JSON object of so many bytes at most. */
export async function readJson(response: IncomingMessage, size: number): Promise<Record<string, unknown>> {
  verifyStatus(response);
  const type = mediaType(response.headers['content-type']);
  if (!type || !(type === 'application/json' || matchesMediaType(type, 'application/*+json'))) {
    throw new FetchError('answer', 'the content is not JSON by its type');
  }
  return parse(await readBytes(response, size));
}

/** Reads an answer of so many bytes at most as text, whatever its type: who reads it finds out what it is. */
export async function readText(response: IncomingMessage, size: number): Promise<string> {
  return (await readBody(response, size)).toString('latin1');
}

/** Reads the bytes of a 200 response of at most `size` bytes. */
export async function readBody(response: IncomingMessage, size: number): Promise<Buffer> {
  verifyStatus(response);
  return await readBytes(response, size);
}

/** Was something taken? Whatever else is said of that is not read. */
export async function verifyAccepted(response: IncomingMessage): Promise<void> {
  verifyStatus(response, [200, 204]);
}

function verifyStatus({ statusCode = 0 }: IncomingMessage, good: readonly number[] = [200]): void {
  if (good.includes(statusCode)) return;
  // A host in trouble has said nothing of what it was asked for.
  const isInTrouble = statusCode === 429 || statusCode >= 500;
  throw new FetchError(isInTrouble ? 'network' : 'answer', `the status is ${statusCode}, not ${good.join(' or ')}`);
}

/** What is compressed is never expanded. */
async function readBytes(response: IncomingMessage, size: number): Promise<Buffer> {
  const { headers } = response;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new FetchError('answer', 'the content is encoded, which was not asked for');
  }
  if (Number(headers['content-length']) > size) throw tooLarge(size);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > size) throw tooLarge(size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isObject(value)) return value;
  } catch (cause) {
    throw new FetchError('content', 'the content is no JSON in UTF-8', { cause });
  }
  throw new FetchError('content', 'the content is no JSON object');
}

const tooLarge = (size: number) => new FetchError('answer', `the content has more than ${size} bytes`);
