import { InvalidArgumentError } from '../errors.js';
import { matchesMediaType, mediaType } from './media-type.js';

/** What a `Request` is made from: the request object of Express or Fastify will do. */
export interface RequestOptions {
  headers: object;
  method: string;
  query: object;
  body?: unknown;
  [property: string]: unknown;
}

/** An HTTP request, whatever framework it came through. */
export class Request {
  headers: Record<string, string>;
  method: string;
  query: Record<string, unknown>;
  // oxlint-disable-next-line no-explicit-any
  body: any;
  // oxlint-disable-next-line no-explicit-any
  [property: string]: any;

  /** @throws InvalidArgumentError without `headers`, `method` or `query` */
  constructor(options: RequestOptions) {
    for (const name of ['headers', 'method', 'query']) {
      if (!options?.[name]) throw new InvalidArgumentError(`Missing parameter: \`${name}\``);
    }
    this.headers = lowerCased(options.headers);
    this.method = options.method;
    this.query = options.query as Record<string, unknown>;
    this.body = options.body ?? {};
    adopt(this, options);
  }

  /** The value of a header. */
  get(field: string): string | undefined {
    return this.headers[field.toLowerCase()];
  }

  /** The media type of the body if it is one of those asked for, else false; false too when there is no body. */
  is(...types: (string | string[])[]): string | false {
    if (
      this.headers['transfer-encoding'] === undefined &&
      Number.isNaN(Number.parseInt(this.headers['content-length']!, 10))
    ) {
      return false;
    }
    const type = mediaType(this.headers['content-type']);
    if (!type) return false;
    const wanted = types.flat();
    if (wanted.length === 0) return type;
    const found = wanted.find((candidate) => matchesMediaType(type, candidate));
    return found === undefined ? false : /[*+]/.test(found) ? type : found;
  }
}

/** Header names in lower case, values as they are; of two spellings the last one wins. */
export function lowerCased(headers: object): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name in headers) {
    if (Object.hasOwn(headers, name)) {
      const key = name.toLowerCase();
      if (key !== '__proto__') result[key] = (headers as Record<string, string>)[name]!;
    }
  }
  return result;
}

/** Copies the further properties of `options`, but none that the wrapper has already. */
export function adopt(wrapper: object, options: object): void {
  for (const name in options) {
    if (Object.hasOwn(options, name) && !(wrapper as Record<string, unknown>)[name] && name !== '__proto__') {
      (wrapper as Record<string, unknown>)[name] = (options as Record<string, unknown>)[name];
    }
  }
}
