import { isBoolean, isString, MAX_URI_LENGTH } from '../../clients/registration/metadata-members.js';
import { clientField } from '../../contracts/client-field.js';

/** The client field for the delivery mode of tokens: `poll` or `ping`. CIBA §4 */
export const BACKCHANNEL_TOKEN_DELIVERY_MODE = clientField(
  'backchannel_token_delivery_mode',
  (mode) => mode === 'poll' || mode === 'ping',
);
/** The client field for the URL that receives pings. CIBA §4 */
export const BACKCHANNEL_CLIENT_NOTIFICATION_ENDPOINT = clientField(
  'backchannel_client_notification_endpoint',
  isEndpoint,
);
/** The client field for the signature algorithm of signed requests. CIBA §4 */
export const BACKCHANNEL_AUTHENTICATION_REQUEST_SIGNING_ALG = clientField(
  'backchannel_authentication_request_signing_alg',
  isString,
);
/** The client field that says whether the client sends `user_code` in its requests. CIBA §4 */
export const BACKCHANNEL_USER_CODE_PARAMETER = clientField('backchannel_user_code_parameter', isBoolean);

function isEndpoint(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.length <= MAX_URI_LENGTH && !uri.includes('#');
}
