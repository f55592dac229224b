/** Claims that ID tokens have, and seldom access tokens without scope. OpenID Connect Core §2, §3.3.2.11 */
const OWN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'auth_time', 'sid'];
/** Maximum length of a token that is decoded for an error message. */
const MAX_LENGTH = 8192;

/**
 * Whether a text seems to be an ID token: an unverified JWT with claims of an ID token and without `scope` and
 * `client_id`. Use it only for messages.
 */
export function looksLikeIdToken(text: string): boolean {
  const parts = text.length <= MAX_LENGTH && text.startsWith('eyJ') ? text.split('.') : [];
  if (parts.length !== 3) return false;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString());
    const hasOwn = (name: string) => Object.hasOwn(claims as object, name);
    return hasOwn('aud') && !hasOwn('scope') && !hasOwn('client_id') && OWN_CLAIMS.some(hasOwn);
  } catch {
    return false;
  }
}

/** The message for a client that sends an ID token to an API. */
export const ID_TOKEN_SENT = 'it is an ID token, and an access token is required';

/** The reason and remedy for an ID token that was sent to an API. */
export const ID_TOKEN_DETAIL = {
  reason: 'client sent an ID token instead of an access token',
  remedy: 'send the `access_token` of the token response. An ID token tells the client who has signed in',
};
