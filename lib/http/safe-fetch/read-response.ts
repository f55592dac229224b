import type { IncomingMessage } from 'node:http';

import { mediaType, matchesMediaType } from '../media-type.js';
import { FetchError } from './fetch-error.js';
import { isObject } from '../is-object.js';

/**
 * Reads the body of a response with status 200 as a JSON object of at most `size` bytes.
 * @throws {FetchError} If the status or the media type is wrong, or if the body is not a JSON object, compressed or too
 * large.
 */
export async function readJson(response: IncomingMessage, size: number): Promise<Record<string, unknown>> {
  verifyStatus(response);
  const type = mediaType(response.headers['content-type']);
  if (!type || !(type === 'application/json' || matchesMediaType(type, 'application/*+json'))) {
    throw new FetchError('response', 'the media type of the response is not JSON');
  }
  return parse(await readBytes(response, size));
}

/**
 * Reads the body of a response with status 200 and at most `size` bytes as text. The caller validates its media type
 * and content.
 * @throws {FetchError} If the status is wrong, or if the body is compressed or too large.
 */
export async function readText(response: IncomingMessage, size: number): Promise<string> {
  return (await readBody(response, size)).toString('latin1');
}

/**
 * Reads the body of a response with status 200 and at most `size` bytes.
 * @throws {FetchError} If the status is wrong, or if the body is compressed or too large.
 */
export async function readBody(response: IncomingMessage, size: number): Promise<Buffer> {
  verifyStatus(response);
  return await readBytes(response, size);
}

/** Verifies that a request was accepted with status 200 or 204. The body is not read. */
export async function verifyAccepted(response: IncomingMessage): Promise<void> {
  verifyStatus(response, [200, 204]);
}

function verifyStatus({ statusCode = 0 }: IncomingMessage, accepted: readonly number[] = [200]): void {
  if (accepted.includes(statusCode)) return;
  // The status of an overloaded or failing server does not mean that the requested document is invalid.
  const isInTrouble = statusCode === 429 || statusCode >= 500;
  throw new FetchError(
    isInTrouble ? 'network' : 'response',
    `the status is ${statusCode} instead of ${accepted.join(' or ')}`,
  );
}

/** Reads the body of a response with at most `size` bytes. A compressed body is rejected and never decompressed. */
export async function readBytes(response: IncomingMessage, size: number): Promise<Buffer> {
  const { headers } = response;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new FetchError('response', 'the content is compressed although that was not requested');
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
    throw new FetchError('content', 'the content is not JSON in UTF-8', { cause });
  }
  throw new FetchError('content', 'the content is not a JSON object');
}

const tooLarge = (size: number) => new FetchError('response', `the content has more than ${size} bytes`);
