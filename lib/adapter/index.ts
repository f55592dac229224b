// Functions for adapters of web frameworks, in addition to the operations of `OAuth2Server`.

// Requests at endpoints
export {
  addCorsHeaders,
  createErrorResponse,
  type EndpointContext,
  type HandledRequest,
  handleEndpoint,
  type HttpMessage,
  isPreflight,
  serializeBody,
} from './handle-endpoint.js';
export { CONTENT_LIMIT, CONTENT_TYPES, parseForm, readContent } from './content.js';
export { documentPaths, isDocument } from './endpoint-paths.js';
export { claimedClientId } from './claimed-client.js';
export { endpointPath, endpointUrl } from '../http/public-url.js';
export { requestPath } from '../http/request-path.js';

// Errors
export { toOAuthError } from '../errors/index.js';
export { type ErrorMembers, errorMembers } from './error-members.js';
export { logLevelOf } from './log-level.js';

// Authorization requests that the user decides
export { consentRequired, loginRequired, userDenied } from '../endpoints/authorization/authorization-errors.js';
