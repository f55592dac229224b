import { isBoolean, isString, MAX_URI_LENGTH } from '../../clients/registration/metadata-members.js';
import { clientField } from '../../contracts/client-field.js';

/** CIBA §4 */
export const BACKCHANNEL_TOKEN_DELIVERY_MODE = clientField(
  'backchannel_token_delivery_mode',
  (mode) => mode === 'poll' || mode === 'ping',
);
/** CIBA §4 */
export const BACKCHANNEL_CLIENT_NOTIFICATION_ENDPOINT = clientField(
  'backchannel_client_notification_endpoint',
  isEndpoint,
);
/** CIBA §4 */
export const BACKCHANNEL_AUTHENTICATION_REQUEST_SIGNING_ALG = clientField(
  'backchannel_authentication_request_signing_alg',
  isString,
);
/** CIBA §4 */
export const BACKCHANNEL_USER_CODE_PARAMETER = clientField('backchannel_user_code_parameter', isBoolean);

function isEndpoint(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.length <= MAX_URI_LENGTH && !uri.includes('#');
}
