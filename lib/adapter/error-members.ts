import { stepUpOf } from '../endpoints/resource/user-authentication.js';
import type { OAuthError } from '../errors/index.js';
import { errorResponse } from '../http/error-response.js';

/** The members of the JSON body of an error response. */
export interface ErrorMembers {
  error: string;
  error_description: string;
  /** The accepted `acr` values, separated by spaces, if the user must authenticate again. RFC 9470 §4 */
  acr_values?: string;
  /** The maximum accepted age of the login in seconds, if the user must authenticate again. RFC 9470 §4 */
  max_age?: number;
}

/**
 * Returns the members of the response for an error, without details that are not meant for clients. RFC 6749 §5.2,
 * RFC 6750 §3.1
 */
export const errorMembers = (error: OAuthError): ErrorMembers => ({ ...errorResponse(error), ...stepUpOf(error) });
