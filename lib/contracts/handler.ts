import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';

/**
 * Handles the requests of an endpoint and writes the whole response. If the request is rejected, it writes the error
 * and rejects with an `OAuthError`.
 */
export interface Handler {
  handle(request: Request, response: Response): Promise<unknown>;
}
