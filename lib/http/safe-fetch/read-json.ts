import type { IncomingMessage } from 'node:http';

import { mediaType, matchesMediaType } from '../media-type.js';
import { FetchError } from './fetch-error.js';
import { isObject } from '../is-object.js';

/** Reads an answer that must be a JSON object of so many bytes at most. */
export async function readJson(answer: IncomingMessage, size: number): Promise<Record<string, unknown>> {
  verifyStatus(answer);
  const type = mediaType(answer.headers['content-type']);
  if (!type || !(type === 'application/json' || matchesMediaType(type, 'application/*+json'))) {
    throw new FetchError('answer', 'the content is not JSON by its type');
  }
  return parse(await readBytes(answer, size));
}

/** Reads an answer of so many bytes at most as text, whatever its type: who reads it finds out what it is. */
export async function readText(answer: IncomingMessage, size: number): Promise<string> {
  return (await readBody(answer, size)).toString('latin1');
}

/** Reads the bytes of a 200 response of at most `size` bytes. */
export async function readBody(answer: IncomingMessage, size: number): Promise<Buffer> {
  verifyStatus(answer);
  return await readBytes(answer, size);
}

/** Was something taken? Whatever else is said of that is not read. */
export async function verifyTaken(answer: IncomingMessage): Promise<void> {
  verifyStatus(answer, [200, 204]);
}

function verifyStatus({ statusCode = 0 }: IncomingMessage, good: readonly number[] = [200]): void {
  if (good.includes(statusCode)) return;
  // A host in trouble has said nothing of what it was asked for.
  const isInTrouble = statusCode === 429 || statusCode >= 500;
  throw new FetchError(isInTrouble ? 'network' : 'answer', `the status is ${statusCode}, not ${good.join(' or ')}`);
}

/** What is compressed is never expanded. */
async function readBytes(answer: IncomingMessage, size: number): Promise<Buffer> {
  const { headers } = answer;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new FetchError('answer', 'the content is encoded, which was not asked for');
  }
  if (Number(headers['content-length']) > size) throw tooLarge(size);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
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
