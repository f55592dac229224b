import { errorResponse } from '../../../lib/error-response.js';
import type { OAuthError } from '../../../lib/index.js';

/** What a refused message is answered with, over WebSockets and microservices. RFC 6750 §3.1 */
export interface OAuthRefusal {
  status: 'error';
  /** The status that HTTP would have. */
  statusCode: number;
  /** The same text as `error_description`, where clients of Nest look for it. */
  message: string;
  error: string;
  error_description: string;
}

export function refusalPayload(failure: OAuthError): OAuthRefusal {
  const said = errorResponse(failure);
  return { status: 'error', statusCode: failure.status, message: said.error_description, ...said };
}
