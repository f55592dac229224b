import { copyProperties, withLowerCaseNames } from './request.js';

/** What a `Response` may be made from: nothing, or the response object of Express or Fastify. */
export interface ResponseOptions {
  headers?: object;
  // oxlint-disable-next-line no-explicit-any
  [property: string]: any;
}

/** An HTTP response, to be sent by the host. */
export class Response {
  status: number = 200;
  headers: Record<string, string>;
  // oxlint-disable-next-line no-explicit-any
  body: any;
  // oxlint-disable-next-line no-explicit-any
  [property: string]: any;

  constructor(options?: ResponseOptions | null) {
    this.headers = options?.headers ? withLowerCaseNames(options.headers) : {};
    this.body = options?.['body'] || {};
    if (options) copyProperties(this, options);
  }

  /** The value of a header. */
  get(field: string): string | undefined {
    const name = field.toLowerCase();
    return Object.hasOwn(this.headers, name) ? this.headers[name] : undefined;
  }

  /** Sets a header. */
  set(field: string, value: string): void {
    this.headers[field.toLowerCase()] = value;
  }

  /** Answers by sending the browser to another URL (302). */
  redirect(url: string): void {
    this.headers['location'] = url;
    this.status = 302;
  }
}
