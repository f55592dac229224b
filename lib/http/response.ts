import { copyProperties, withLowerCaseNames } from './request.js';

/** The data of a `Response`. The response objects of Express and Fastify can be passed directly. */
export interface ResponseOptions {
  headers?: object;
  // oxlint-disable-next-line no-explicit-any
  [property: string]: any;
}

/** An HTTP response that the application sends. */
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

  /** Returns the value of a header. The name is case-insensitive. */
  get(field: string): string | undefined {
    const name = field.toLowerCase();
    return Object.hasOwn(this.headers, name) ? this.headers[name] : undefined;
  }

  /** Sets a header. */
  set(field: string, value: string): void {
    this.headers[field.toLowerCase()] = value;
  }

  /** Redirects the browser to a URL (status 302). */
  redirect(url: string): void {
    this.headers['location'] = url;
    this.status = 302;
  }
}
