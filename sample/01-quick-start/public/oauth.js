// The OAuth client: authorization code flow with PKCE for an application that cannot keep a secret. RFC 6749 §4.1, RFC 7636

const client = { id: 'demo-spa', scope: 'profile notes:read' };
const redirectUri = `${location.origin}/callback`;

/** Steps 1 and 2: make up a verifier, send the browser to the server with its hash. */
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
  // Kept in this tab until the browser comes back.
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, challenge, state, query: `${query}` }));
  location.assign(`/oauth/authorize?${query}`);
}

/** Step 4: what the browser came back with, if it comes from the server at all. */
export function readAnswer() {
  if (location.pathname !== '/callback') return undefined;
  const answer = Object.fromEntries(new URLSearchParams(location.search));
  const started = JSON.parse(sessionStorage.getItem('sign-in') ?? 'null');
  sessionStorage.removeItem('sign-in');
  // The code is good only once: it need not stay in the address bar or the history.
  history.replaceState(null, '', '/');
  // Anybody can make up a link to /callback. Only the server's answer carries the state we sent.
  if (!started || answer.state !== started.state) return { error: 'unexpected_answer', started: undefined };
  return { ...answer, started };
}

/** Step 5: code and verifier become tokens. */
export const redeemCode = ({ code, started }) =>
  requestTokens({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: started.verifier });

/** A new access token, and a new refresh token for the next time. RFC 6749 §6 */
export const refreshTokens = (refreshToken) =>
  requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken });

async function requestTokens(parameters) {
  const body = new URLSearchParams({ client_id: client.id, ...parameters });
  const response = await fetch('/oauth/token', { method: 'POST', body });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error}: ${answer.error_description}`);
  return answer;
}

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

function base64url(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
