// What the buttons of the page do.
import { readAnswer, redeemCode, refreshTokens, startSignIn } from './oauth.js';
import { focusOn, say, showCall, showTokens, tick } from './view.js';

/** In this page's memory only: a reload, or signing out, which leaves the page, forgets them. */
let tokens;
let busy = false;

const signIn = document.getElementById('sign-in');
signIn.addEventListener('click', () => attempt(startSignIn));
// Only now does it do anything.
signIn.disabled = false;
document.getElementById('refresh').addEventListener('click', () => attempt(refresh));
document.getElementById('write').addEventListener('submit', (event) => {
  event.preventDefault();
  return attempt(() => callApi('POST', '/api/notes', { text: event.target.elements.text.value }));
});
for (const button of document.querySelectorAll('[data-call]')) {
  button.addEventListener('click', () => attempt(() => callApi('GET', button.dataset.call)));
}
// The way back after signing out must not bring the old page, tokens and all.
addEventListener('pageshow', (event) => event.persisted && location.reload());
comeBack().catch(report);

async function comeBack() {
  const answer = readAnswer();
  if (!answer) return;
  if (!answer.started)
    return say('That answer does not belong to a sign-in started in this tab. Please sign in.', 'bad');
  tick('verifier', { code_verifier: answer.started.verifier, code_challenge: answer.started.challenge });
  tick('ask', { GET: '/oauth/authorize', ...Object.fromEntries(new URLSearchParams(answer.started.query)) });
  if (answer.error) {
    // The user's own no is an answer like another: nothing went wrong.
    const denied = answer.error === 'access_denied';
    tick('decide', { error: answer.error }, denied ? 'denied' : 'refused');
    return say(refusal(answer), denied ? 'calm' : 'bad');
  }
  tick('decide');
  tick('code', { GET: '/callback', code: answer.code, state: answer.state });
  tokens = await redeemCode(answer);
  tick('swap', { POST: '/oauth/token', grant_type: 'authorization_code' });
  showTokens(tokens);
  say('You are signed in, and this page has its tokens.');
  focusOn('#tokens h2');
}

function refusal({ error, error_description: description }) {
  if (error === 'access_denied') return 'You said no, so this page got no token. You can sign in again at any time.';
  return `The server refused: ${error}${description ? ` (${description})` : ''}.`;
}

async function callApi(method, path, content) {
  const headers = { Authorization: `Bearer ${tokens.access_token}` };
  if (content) headers['Content-Type'] = 'application/json';
  const response = await fetch(path, { method, headers, body: content && JSON.stringify(content) });
  const challenge = response.headers.get('WWW-Authenticate');
  showCall({ method, path, status: response.status, challenge, body: await response.json() });
  tick('call', { [method]: path, status: response.status }, response.ok ? 'done' : 'refused');
}

async function refresh() {
  tokens = await refreshTokens(tokens.refresh_token);
  showTokens(tokens);
  tick('refresh', { POST: '/oauth/token', grant_type: 'refresh_token' });
  say('The page has a new access token and a new refresh token. The old refresh token is used up.');
}

/** One thing at a time: a refresh token sent twice looks stolen, and the server would revoke everything. */
async function attempt(action) {
  if (busy) return;
  busy = true;
  say('');
  await action().catch(report);
  busy = false;
}

function report(error) {
  say(`That did not work. ${error.message}`, 'bad');
}
