import { errorResponse, setRetryAfter } from '../http/error-response.js';
import { InvalidArgumentError, type OAuthError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import { Request } from '../http/request.js';
import { Response } from '../http/response.js';
import type { Callback } from '../options/options.js';
import type { Options } from '../options/resolve-options.js';

/**
 * The base class of operations. An operation reads a request, writes a response and resolves to the result. One
 * instance handles many requests with the same options.
 */
export abstract class Operation<Result> {
  /** @param options The options of the server, merged with those of the call. */
  constructor(
    protected readonly options: Options,
    protected readonly server: ServerContext,
  ) {}

  abstract handle(request: Request, response: Response): Promise<Result>;
}

/**
 * Verifies the arguments that the application passes to an operation.
 * @throws {InvalidArgumentError} If `request` or `response` is not an instance of the library's class.
 */
export function verifyRequestAndResponse(request: unknown, response: unknown): void {
  if (!(request instanceof Request)) {
    throw new InvalidArgumentError('Invalid argument: `request` must be an instance of Request');
  }
  if (!(response instanceof Response)) {
    throw new InvalidArgumentError('Invalid argument: `response` must be an instance of Response');
  }
}

/**
 * Writes an error to a response, which must not be cached. If `response` is not a `Response`, nothing is written.
 * RFC 6749 §5.2
 * @returns The error that was passed, to throw.
 */
export function respondWithError(response: unknown, error: OAuthError): OAuthError {
  if (response instanceof Response) {
    response.status = error.code;
    response.headers['cache-control'] = 'no-store';
    response.body = errorResponse(error);
    setRetryAfter(response, error);
  }
  return error;
}

/**
 * Passes the result of a promise to a Node-style callback. The callback runs outside the promise, so that its
 * exceptions are not treated as errors of the operation.
 */
export function attachCallback<T>(result: Promise<T>, callback: Callback<T>): void {
  result.then(
    (value) => process.nextTick(callback, null, value),
    (error: OAuthError) => process.nextTick(callback, error),
  );
}
