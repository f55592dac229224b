import type { IncomingMessage } from 'node:http';

import { InvalidArgumentError } from '../errors/index.js';
import { matchesMediaType, mediaType } from './media-type.js';

/** The data from which a `Request` is created. The request objects of Express and Fastify can be passed directly. */
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

/** An HTTP request, independent of the web framework. */
export class Request {
  method: string;
  query: Record<string, unknown>;
  // oxlint-disable-next-line no-explicit-any
  body: any;
  // oxlint-disable-next-line no-explicit-any
  [property: string]: any;

  /**
   * The headers as passed to the constructor. Their names are converted to lower case only if `headers` is read,
   * because most requests read only one or two headers.
   */
  readonly #given: object;
  #headers: Record<string, string> | undefined;

  /** @throws {InvalidArgumentError} If `headers`, `method` or `query` is missing. */
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

  /** The headers by lower-case name. If a name occurs in two spellings, the last one applies. */
  get headers(): Record<string, string> {
    return (this.#headers ??= withLowerCaseNames(this.#given));
  }

  set headers(headers: Record<string, string>) {
    this.#headers = headers;
  }

  /** Returns the value of a header, or `undefined` if it is not set. The name is case-insensitive. */
  get(field: string): string | undefined {
    const name = field.toLowerCase();
    if (this.#headers) return Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
    const headers = this.#given as Headers;
    let value: string | undefined;
    // Comparing lengths first skips the conversion to lower case for most names.
    for (const key in headers) {
      if (key === name || (key.length === name.length && key.toLowerCase() === name)) {
        if (Object.hasOwn(headers, key)) value = headers[key];
      }
    }
    return value;
  }

  /**
   * Returns the media type of the body if it matches one of the given types: for a pattern with `*` or `+` the actual
   * type, otherwise the given type. Without types, any media type matches. Returns `false` if none matches, and for a
   * request without a body.
   */
  is(...types: (string | string[])[]): string | false {
    if (this.get('transfer-encoding') === undefined && Number.isNaN(Number.parseInt(this.get('content-length')!, 10))) {
      return false;
    }
    const type = mediaType(this.get('content-type'));
    if (!type) return false;
    const patterns = types.flat();
    if (patterns.length === 0) return type;
    const match = patterns.find((candidate) => matchesMediaType(type, candidate));
    return match === undefined ? false : /[*+]/.test(match) ? type : match;
  }
}

/** Returns the headers with lower-case names. If a name occurs in two spellings, the last one applies. */
export function withLowerCaseNames(headers: object): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const key = name.toLowerCase();
    if (key !== '__proto__') result[key] = (headers as Headers)[name]!;
  }
  return result;
}

/**
 * Copies the properties of `options` to a request or response, except `headers`, `method`, `query` and `body`.
 * Properties that already have a truthy value are not overwritten.
 */
export function copyProperties(wrapper: object, options: object): void {
  for (const name in options) {
    if (name === 'headers' || name === 'method' || name === 'query' || name === 'body' || name === '__proto__')
      continue;
    if (Object.hasOwn(options, name) && !(wrapper as Record<string, unknown>)[name]) {
      (wrapper as Record<string, unknown>)[name] = (options as Record<string, unknown>)[name];
    }
  }
}
