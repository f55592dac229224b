import { errorResponse, setRetryAfter } from '../http/error-response.js';
import { InvalidArgumentError, type OAuthError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import { Request } from '../http/request.js';
import { Response } from '../http/response.js';
import type { Callback } from '../options/options.js';
import type { Options } from '../options/resolve-options.js';

/** Reads a request, writes a response, resolves to what it did; made once, used for many requests. */
export abstract class Operation<Result> {
  /** @param options those of the server, with those of the call over them */
  constructor(
    protected readonly options: Options,
    protected readonly server: ServerContext,
  ) {}

  abstract handle(request: Request, response: Response): Promise<Result>;
}

/** Checks what the host passed to an operation. */
export function verifyRequestAndResponse(request: unknown, response: unknown): void {
  if (!(request instanceof Request)) {
    throw new InvalidArgumentError('Invalid argument: `request` must be an instance of Request');
  }
  if (!(response instanceof Response)) {
    throw new InvalidArgumentError('Invalid argument: `response` must be an instance of Response');
  }
}

/** Writes an error to a response that must not be cached. Returns the error. RFC 6749 §5.2 */
export function respondWithError(response: unknown, error: OAuthError): OAuthError {
  if (response instanceof Response) {
    response.status = error.code;
    response.headers['cache-control'] = 'no-store';
    response.body = errorResponse(error);
    setRetryAfter(response, error);
  }
  return error;
}

/** Tells a Node callback; outside the promise, so that what the callback throws is not taken for our failure. */
export function attachCallback<T>(result: Promise<T>, callback: Callback<T>): void {
  result.then(
    (value) => process.nextTick(callback, null, value),
    (error: OAuthError) => process.nextTick(callback, error),
  );
}
