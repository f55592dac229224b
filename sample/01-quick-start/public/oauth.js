// The OAuth client: the authorization code flow with PKCE, for a public client. RFC 6749 §4.1, RFC 7636

const client = { id: 'demo-spa', scope: 'profile notes:read' };
const redirectUri = `${location.origin}/callback`;

/** Steps 1 and 2: creates a code verifier and sends the browser to the server with its SHA-256 hash. */
export async function startSignIn() {
  const verifier = randomText();
  const state = randomText();
  const challenge = base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope: client.scope,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  // Stored for this tab until the browser returns to `/callback`.
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, challenge, state, query: `${query}` }));
  location.assign(`/oauth/authorize?${query}`);
}

/** Step 4: returns the authorization response and the sign-in that it belongs to, or `undefined` on other pages. */
export function readAuthorizationResponse() {
  if (location.pathname !== '/callback') return undefined;
  const response = Object.fromEntries(new URLSearchParams(location.search));
  const pending = JSON.parse(sessionStorage.getItem('sign-in') ?? 'null');
  sessionStorage.removeItem('sign-in');
  // Remove the code from the address bar and the history.
  history.replaceState(null, '', '/');
  // CSRF protection: an attacker can forge a link to `/callback`, but does not know the `state` of this sign-in.
  if (!pending || response.state !== pending.state) return { error: 'unexpected_response', pending: undefined };
  return { ...response, pending };
}

/** Step 5: redeems the code, with the code verifier, for tokens. */
export const redeemCode = ({ code, pending }) =>
  requestTokens({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: pending.verifier });

/** Returns a new access token and a new refresh token (refresh token rotation). RFC 6749 §6 */
export const refreshTokens = (refreshToken) =>
  requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken });

async function requestTokens(parameters) {
  const body = new URLSearchParams({ client_id: client.id, ...parameters });
  const response = await fetch('/oauth/token', { method: 'POST', body });
  const content = await response.json();
  if (!response.ok) throw new Error(`${content.error}: ${content.error_description}`);
  return content;
}

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

function base64url(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
