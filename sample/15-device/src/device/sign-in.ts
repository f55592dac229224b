import * as oauth from 'openid-client';
import { renderUnicodeCompact } from 'uqr';

/** Signs in a user who opens a browser on another device. Returns the tokens. RFC 8628 */
export async function signIn(configuration: oauth.Configuration, print: (text: string) => void) {
  const authorization = await oauth.initiateDeviceAuthorization(configuration, { scope: 'notes:read' });
  const { user_code: code, verification_uri: page, verification_uri_complete: link } = authorization;
  if (link !== undefined) print(renderUnicodeCompact(link));
  print(`\nScan the QR code, or open ${page} on any device.\nYour code: ${code}\n\nWaiting …`);
  // Polls at the interval that the server sets, until the user allows or denies access.
  return oauth.pollDeviceAuthorizationGrant(configuration, authorization);
}
