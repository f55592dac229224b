import { errorMembers } from '../../../lib/adapter/index.js';
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
  /** What to ask for in an authorization request, where the user has to sign in anew. RFC 9470 §4 */
  acr_values?: string;
  max_age?: number;
}

export function refusalPayload(failure: OAuthError): OAuthRefusal {
  const members = errorMembers(failure);
  return {
    status: 'error',
    statusCode: failure.status,
    message: members.error_description,
    ...members,
  };
}
