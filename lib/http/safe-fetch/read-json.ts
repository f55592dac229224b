import type { IncomingMessage } from 'node:http';

import { mediaType, matchesMediaType } from '../media-type.js';
import { FetchError } from './fetch-error.js';

/** Reads an answer that must be a JSON object of so many bytes at most. What is compressed is never expanded. */
export async function readJson(answer: IncomingMessage, size: number): Promise<Record<string, unknown>> {
  const { statusCode, headers } = answer;
  if (statusCode !== 200) {
    // A host in trouble has said nothing of what it was asked for.
    const isInTrouble = statusCode === 429 || (statusCode !== undefined && statusCode >= 500);
    throw new FetchError(isInTrouble ? 'network' : 'answer', `the status is ${statusCode}, not 200`);
  }
  const type = mediaType(headers['content-type']);
  if (!type || !(type === 'application/json' || matchesMediaType(type, 'application/*+json'))) {
    throw new FetchError('answer', 'the content is not JSON by its type');
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new FetchError('answer', 'the content is encoded, which was not asked for');
  }
  if (Number(headers['content-length']) > size) throw tooLarge(size);
  return parse(await readBytes(answer, size));
}

async function readBytes(answer: IncomingMessage, size: number): Promise<Buffer> {
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
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (cause) {
    throw new FetchError('content', 'the content is no JSON in UTF-8', { cause });
  }
  throw new FetchError('content', 'the content is no JSON object');
}

const tooLarge = (size: number) => new FetchError('answer', `the content has more than ${size} bytes`);
