import { errorMembers } from '../../../lib/internal.js';
import type { OAuthError } from '../../../lib/index.js';

/** The error payload of a rejected WebSocket or microservice message. RFC 6750 §3.1 */
export interface OAuthRefusal {
  status: 'error';
  /** The HTTP status of the error. */
  statusCode: number;
  /** The text of `error_description`, repeated in the member that Nest clients read. */
  message: string;
  error: string;
  error_description: string;
  /** The `acr_values` of a step-up authorization request, if the user must sign in again. RFC 9470 §4 */
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
