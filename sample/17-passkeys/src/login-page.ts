import { html, page } from 'nest-oauth2/pages';
import { branding } from './branding.js';

/** Returns `returnTo` if it is a path of the OAuth server, and otherwise `/`. This prevents open redirects. */
const safeReturnTo = (returnTo: unknown) =>
  typeof returnTo === 'string' && /^\/oauth\/\w+(\?|$)/.test(returnTo) ? returnTo : '/';

/**
 * Renders the login page. Its content security policy allows only scripts of this server. The buttons are disabled
 * until the script is ready.
 */
export function loginPage(returnTo: unknown) {
  const main = html`<p class="notice bad" role="alert" id="error" hidden></p>
    <noscript><p class="notice bad">Passkeys need JavaScript.</p></noscript>
    <button id="sign-in" class="primary wide" data-return-to="${safeReturnTo(returnTo)}" disabled>
      Sign in with a passkey
    </button>
    <form id="sign-up">
      <h2>New here?</h2>
      <label for="name">Name</label>
      <input id="name" name="name" autocomplete="username" maxlength="64" required />
      <button class="wide" disabled>Create an account</button>
    </form>`;
  return page({ title: 'Sign in', main, script: '/passkeys.js' }, branding);
}

/** The script of the login page. It fetches a challenge, has the authenticator sign it, and sends the response. */
export const script = `
async function post(path, body = {}) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const content = await response.json();
  if (!response.ok) throw new Error(content.message);
  return content;
}

async function signIn() {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await post('/passkeys/authentication/options'));
  await post('/passkeys/authentication', (await navigator.credentials.get({ publicKey })).toJSON());
}

async function signUp(name) {
  const options = await post('/passkeys/registration/options', { name });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  await post('/passkeys/registration', (await navigator.credentials.create({ publicKey })).toJSON());
}

const button = document.querySelector('#sign-in');
const errorMessage = document.querySelector('#error');

const continueAfter = (work) => work.then(
  () => location.assign(button.dataset.returnTo),
  (error) => {
    errorMessage.textContent = error.message;
    errorMessage.hidden = false;
  },
);

button.addEventListener('click', () => void continueAfter(signIn()));
document.querySelector('#sign-up').addEventListener('submit', (event) => {
  event.preventDefault();
  void continueAfter(signUp(new FormData(event.target).get('name')));
});
for (const element of document.querySelectorAll('button:disabled')) element.disabled = false;
button.focus();
`;
