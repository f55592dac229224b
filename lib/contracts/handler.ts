import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';

/** Reads a request, writes its whole answer to the response; rejects with an OAuthError when that is a refusal. */
export interface Handler {
  handle(request: Request, response: Response): Promise<unknown>;
}
