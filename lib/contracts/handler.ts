import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';

/**
 * Handles the requests of an endpoint: writes the whole response. Rejects with an `OAuthError` if the request is
 * rejected.
 */
export interface Handler {
  handle(request: Request, response: Response): Promise<unknown>;
}
