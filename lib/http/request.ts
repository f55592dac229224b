import type { IncomingMessage } from 'node:http';

import { InvalidArgumentError } from '../errors/index.js';
import { matchesMediaType, mediaType } from './media-type.js';

/** What a `Request` is made from: the request object of Express or Fastify will do. */
export interface RequestOptions {
  headers: object;
  method: string;
  query: object;
  body?: unknown;
  // oxlint-disable-next-line no-explicit-any
  [property: string]: any;
}

type Headers = Record<string, string>;

const missingParameter = (name: string) => new InvalidArgumentError(`Missing parameter: \`${name}\``);

/** An HTTP request, whatever framework it came through. */
export class Request {
  method: string;
  query: Record<string, unknown>;
  // oxlint-disable-next-line no-explicit-any
  body: any;
  // oxlint-disable-next-line no-explicit-any
  [property: string]: any;

  /** The headers as they came; most requests are answered by a look at one or two of them. */
  readonly #given: object;
  #headers: Record<string, string> | undefined;

  /** @throws InvalidArgumentError without `headers`, `method` or `query` */
  constructor(options: RequestOptions | (IncomingMessage & Partial<RequestOptions>)) {
    if (!options?.headers) throw missingParameter('headers');
    if (!options.method) throw missingParameter('method');
    if (!options.query) throw missingParameter('query');
    this.#given = options.headers;
    this.method = options.method;
    this.query = options.query as Record<string, unknown>;
    this.body = options.body || {};
    copyProperties(this, options);
  }

  /** The headers by their names in lower case; of two spellings the last one counts. */
  get headers(): Record<string, string> {
    return (this.#headers ??= withLowerCaseNames(this.#given));
  }

  set headers(headers: Record<string, string>) {
    this.#headers = headers;
  }

  /** The value of a header. */
  get(field: string): string | undefined {
    const name = field.toLowerCase();
    if (this.#headers) return Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
    const given = this.#given as Headers;
    let value: string | undefined;
    // Most names differ in length, and most of the rest are spelled in lower case already.
    for (const key in given) {
      if (key === name || (key.length === name.length && key.toLowerCase() === name)) {
        if (Object.hasOwn(given, key)) value = given[key];
      }
    }
    return value;
  }

  /** The media type of the body if it is one of those asked for, else false; false too when there is no body. */
  is(...types: (string | string[])[]): string | false {
    if (this.get('transfer-encoding') === undefined && Number.isNaN(Number.parseInt(this.get('content-length')!, 10))) {
      return false;
    }
    const type = mediaType(this.get('content-type'));
    if (!type) return false;
    const wanted = types.flat();
    if (wanted.length === 0) return type;
    const found = wanted.find((candidate) => matchesMediaType(type, candidate));
    return found === undefined ? false : /[*+]/.test(found) ? type : found;
  }
}

/** Header names in lower case, values as they are; of two spellings the last one wins. */
export function withLowerCaseNames(headers: object): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const key = name.toLowerCase();
    if (key !== '__proto__') result[key] = (headers as Headers)[name]!;
  }
  return result;
}

/** Copies the further properties of `options`, but none that the wrapper has already. */
export function copyProperties(wrapper: object, options: object): void {
  for (const name in options) {
    if (name === 'headers' || name === 'method' || name === 'query' || name === 'body' || name === '__proto__')
      continue;
    if (Object.hasOwn(options, name) && !(wrapper as Record<string, unknown>)[name]) {
      (wrapper as Record<string, unknown>)[name] = (options as Record<string, unknown>)[name];
    }
  }
}
