import { isBoolean } from '../../clients/registration/metadata-members.js';
import { clientField } from '../../contracts/client-field.js';
import { isPublicHttpsUri } from '../../http/public-url.js';

/** The client field for the URL that receives logout tokens. Back-Channel Logout §2.2 */
export const BACKCHANNEL_LOGOUT_URI = clientField('backchannel_logout_uri', isLogoutUri);
/** The client field that requires `sid` in logout tokens. Back-Channel Logout §2.2 */
export const BACKCHANNEL_LOGOUT_SESSION_REQUIRED = clientField('backchannel_logout_session_required', isBoolean);
/** The client field for the URL that is opened in a frame at logout. Front-Channel Logout §2 */
export const FRONTCHANNEL_LOGOUT_URI = clientField('frontchannel_logout_uri', isLogoutUri);
/** The client field that requires `iss` and `sid` in the front-channel logout URL. Front-Channel Logout §2 */
export const FRONTCHANNEL_LOGOUT_SESSION_REQUIRED = clientField('frontchannel_logout_session_required', isBoolean);

export const LOGOUT_FIELDS = [
  BACKCHANNEL_LOGOUT_URI,
  BACKCHANNEL_LOGOUT_SESSION_REQUIRED,
  FRONTCHANNEL_LOGOUT_URI,
  FRONTCHANNEL_LOGOUT_SESSION_REQUIRED,
];

function isLogoutUri(uri: unknown): uri is string {
  return isPublicHttpsUri(uri) && !uri.includes('#');
}
