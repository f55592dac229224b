import * as oauth from 'openid-client';
import { renderUnicodeCompact } from 'uqr';

/** Signs a user in who is in front of this program, and has a browser somewhere else. RFC 8628 */
export async function signIn(configuration: oauth.Configuration, say: (text: string) => void) {
  const begun = await oauth.initiateDeviceAuthorization(configuration, { scope: 'notes:read' });
  const { user_code: code, verification_uri: page, verification_uri_complete: link } = begun;
  if (link !== undefined) say(renderUnicodeCompact(link));
  say(`\nScan this, or open ${page} on any device.\nYour code: ${code}\n\nWaiting …`);
  // Asks every few seconds, as often as the server likes, until the user has decided.
  return oauth.pollDeviceAuthorizationGrant(configuration, begun);
}
