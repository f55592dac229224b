import { randomBytes } from 'node:crypto';
import type { SessionClient } from '../../model/session-clients.js';

/** The `typ` of a logout token, so that it cannot be confused with an ID token. Back-Channel Logout §2.4 */
export const LOGOUT_TOKEN = 'logout+jwt';

/** The member of `events` that makes a JWT a logout token. Back-Channel Logout §2.4 */
export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Lifetime of a logout token in seconds. It is sent immediately. */
const LIFETIME = 120;

/** Returns the claims of a logout token. It must not contain a nonce. OpenID Connect Back-Channel Logout §2.4 */
export function logoutClaims({ issuer, sub, clientId, sid }: SessionClient): object {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    sub,
    aud: clientId,
    iat: now,
    exp: now + LIFETIME,
    jti: randomBytes(16).toString('base64url'),
    events: { [LOGOUT_EVENT]: {} },
    sid,
  };
}
