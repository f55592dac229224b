import { InvalidArgumentError } from './errors.js';
import { Request } from './http/request.js';
import { Response } from './http/response.js';
import type { Options } from './options.js';

/** Reads a request, writes a response, resolves to what it did; made once, used for many requests. */
export abstract class Operation<Result> {
  constructor(protected readonly options: Options) {}

  abstract handle(request: Request, response: Response): Promise<Result>;
}

/** Checks what the host passed to an operation. */
export function verifyWrappers(request: unknown, response: unknown): void {
  if (!(request instanceof Request)) {
    throw new InvalidArgumentError('Invalid argument: `request` must be an instance of Request');
  }
  if (!(response instanceof Response)) {
    throw new InvalidArgumentError('Invalid argument: `response` must be an instance of Response');
  }
}
