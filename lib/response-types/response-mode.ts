import { InvalidRequestError } from '../errors.js';
import { FORM_OR_URL, optional } from '../http/parameters.js';
import type { Request } from '../http/request.js';

/** Where the answer to an authorization request travels. OAuth 2.0 Multiple Response Types §2.1 */
export type ResponseMode = 'query' | 'fragment';

/** The mode of a response type. */
interface Default {
  readonly mode: ResponseMode;
}

/**
 * Reads how the client wants its answer; left out, as the response type has it. What defaults to the fragment holds a
 * token, which must never be in a query, where logs and Referer headers have it. OAuth 2.0 Multiple Response Types §5
 */
export function readResponseMode(request: Request, { mode }: Default): ResponseMode {
  const asked = optional(request, 'response_mode', (value) => value === mode || value === 'fragment', FORM_OR_URL);
  return (asked as ResponseMode | undefined) ?? mode;
}

/** The mode of an error answer: one that cannot be read is the error being reported. */
export function errorMode(request: Request, ResponseType: Default): ResponseMode {
  try {
    return readResponseMode(request, ResponseType);
  } catch (error) {
    if (error instanceof InvalidRequestError) return ResponseType.mode;
    throw error;
  }
}
