import { clientField } from '../../contracts/client-field.js';
import { isBoolean, isLink, isWord } from './metadata-members.js';

// The client fields that every server reads, whatever its features are.

/** The client field for the type of the application, `web` or `native`. OpenID Connect Registration §2 */
export const APPLICATION_TYPE = clientField('application_type', (value) => value === 'web' || value === 'native');
/** The client field for the URL of the client's logo. RFC 7591 §2 */
export const LOGO_URI = clientField('logo_uri', isLink);

/** The URL of the client's privacy policy. RFC 7591 §2 */
export const POLICY_URI = clientField('policy_uri', isLink);

/** The URL of the client's terms of service. RFC 7591 §2 */
export const TOS_URI = clientField('tos_uri', isLink);
/** The client field for the client authentication method. RFC 7591 §2 */
export const TOKEN_ENDPOINT_AUTH_METHOD = clientField('token_endpoint_auth_method', isWord);
/** The client field for whether the client must push its authorization requests. RFC 9126 §6 */
export const REQUIRE_PUSHED_AUTHORIZATION_REQUESTS = clientField('require_pushed_authorization_requests', isBoolean);
/** The client field for whether the client's access tokens must be bound to a key by DPoP. RFC 9449 §5.2 */
export const DPOP_BOUND_ACCESS_TOKENS = clientField('dpop_bound_access_tokens', isBoolean);
/** The client field for whether the client's access tokens are bound to its TLS certificate. RFC 8705 §3.4 */
export const TLS_CLIENT_CERTIFICATE_BOUND_ACCESS_TOKENS = clientField(
  'tls_client_certificate_bound_access_tokens',
  isBoolean,
);
/** The client field for the types of authorization details that the client may request. RFC 9396 §10 */
export const AUTHORIZATION_DETAILS_TYPES = clientField('authorization_details_types', isTypes);

function isTypes(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
