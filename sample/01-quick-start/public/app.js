// The event handlers of the page.
import { readAuthorizationResponse, redeemCode, refreshTokens, startSignIn } from './oauth.js';
import { completeStep, focusOn, showCall, showStatus, showTokens } from './view.js';

/** The tokens, in this page's memory only. A reload or sign-out discards them. */
let tokens;
let busy = false;

const signIn = document.getElementById('sign-in');
signIn.addEventListener('click', () => runOnce(startSignIn));
// The button is disabled until its handler is attached.
signIn.disabled = false;
document.getElementById('refresh').addEventListener('click', () => runOnce(refresh));
document.getElementById('write').addEventListener('submit', (event) => {
  event.preventDefault();
  return runOnce(() => callApi('POST', '/api/notes', { text: event.target.elements.text.value }));
});
for (const button of document.querySelectorAll('[data-call]')) {
  button.addEventListener('click', () => runOnce(() => callApi('GET', button.dataset.call)));
}
// The browser's Back button must not restore a page that still holds tokens after sign-out.
addEventListener('pageshow', (event) => event.persisted && location.reload());
handleCallback().catch(report);

async function handleCallback() {
  const response = readAuthorizationResponse();
  if (!response) return;
  const { pending } = response;
  if (!pending)
    return showStatus('This response does not belong to a sign-in started in this tab. Please sign in.', 'bad');
  completeStep('verifier', { code_verifier: pending.verifier, code_challenge: pending.challenge });
  completeStep('request', { GET: '/oauth/authorize', ...Object.fromEntries(new URLSearchParams(pending.query)) });
  if (response.error) {
    // A user who denies access is an expected outcome, so it is not shown as an error.
    const denied = response.error === 'access_denied';
    completeStep('decide', { error: response.error }, denied ? 'denied' : 'refused');
    return showStatus(errorMessage(response), denied ? 'calm' : 'bad');
  }
  completeStep('decide');
  completeStep('code', { GET: '/callback', code: response.code, state: response.state });
  tokens = await redeemCode(response);
  completeStep('redeem', { POST: '/oauth/token', grant_type: 'authorization_code' });
  showTokens(tokens);
  showStatus('You are signed in. This page has received its tokens.');
  focusOn('#tokens h2');
}

function errorMessage({ error, error_description: description }) {
  if (error === 'access_denied') return 'You denied access, so this page has no tokens. You can sign in at any time.';
  return `The server rejected the request: ${error}${description ? ` (${description})` : ''}.`;
}

async function callApi(method, path, content) {
  const headers = { Authorization: `Bearer ${tokens.access_token}` };
  if (content) headers['Content-Type'] = 'application/json';
  const response = await fetch(path, { method, headers, body: content && JSON.stringify(content) });
  const challenge = response.headers.get('WWW-Authenticate');
  showCall({ method, path, status: response.status, challenge, body: await response.json() });
  completeStep('call', { [method]: path, status: response.status }, response.ok ? 'done' : 'refused');
}

async function refresh() {
  tokens = await refreshTokens(tokens.refresh_token);
  showTokens(tokens);
  completeStep('refresh', { POST: '/oauth/token', grant_type: 'refresh_token' });
  showStatus('This page has a new access token and a new refresh token. The old refresh token is no longer valid.');
}

/**
 * Runs an action unless another one is running. If the page sent the same refresh token twice, the server would detect
 * a replay and revoke all tokens of the sign-in.
 */
async function runOnce(action) {
  if (busy) return;
  busy = true;
  showStatus('');
  await action().catch(report);
  busy = false;
}

function report(error) {
  showStatus(`Something went wrong. ${error.message}`, 'bad');
}
