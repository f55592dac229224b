import { copyProperties, withLowerCaseNames } from './request.js';

/** The data from which a `Response` is created. The response objects of Express and Fastify can be passed directly. */
export interface ResponseOptions {
  headers?: object;
  // oxlint-disable-next-line no-explicit-any
  [property: string]: any;
}

/** The HTTP response that an operation writes. The application sends it. */
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

  /** Returns the value of a header, or `undefined` if it is not set. The name is case-insensitive. */
  get(field: string): string | undefined {
    const name = field.toLowerCase();
    return Object.hasOwn(this.headers, name) ? this.headers[name] : undefined;
  }

  /** Sets a header. An earlier value is replaced. The name is case-insensitive. */
  set(field: string, value: string): void {
    this.headers[field.toLowerCase()] = value;
  }

  /** Redirects the browser to a URL (status 302). */
  redirect(url: string): void {
    this.headers['location'] = url;
    this.status = 302;
  }
}
