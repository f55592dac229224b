import { randomBytes } from 'node:crypto';
import type { SessionClient } from '../../model/session-clients.js';

/** The type of a logout token: no ID token can be taken for one, nor it for an ID token. Back-Channel Logout §2.4 */
export const LOGOUT_TOKEN = 'logout+jwt';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Seconds: it is on its way at once. */
const LIFETIME = 120;

/** What a logout token says; it never has a nonce. OpenID Connect Back-Channel Logout §2.4 */
export function logoutClaims({ issuer, sub, clientId, sid }: SessionClient): object {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    sub,
    aud: clientId,
    iat: now,
    exp: now + LIFETIME,
    jti: randomBytes(16).toString('base64url'),
    events: { [EVENT]: {} },
    sid,
  };
}
