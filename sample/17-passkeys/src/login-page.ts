import { html, page } from 'nest-oauth2/pages';
import { look } from './look.js';

/** Returns `returnTo` if it is a path of the OAuth server, or else the home page: other values are open redirects. */
const placeFor = (returnTo: unknown) =>
  typeof returnTo === 'string' && /^\/oauth\/\w+(\?|$)/.test(returnTo) ? returnTo : '/';

/** The login page. Its policy allows scripts of this server alone. The buttons are disabled until the script is ready. */
export function loginPage(returnTo: unknown) {
  const main = html`<p class="notice bad" role="alert" id="problem" hidden></p>
    <noscript><p class="notice bad">Passkeys need JavaScript.</p></noscript>
    <button id="sign-in" class="primary wide" data-return-to="${placeFor(returnTo)}" disabled>
      Sign in with a passkey
    </button>
    <form id="sign-up">
      <h2>New here?</h2>
      <label for="name">Name</label>
      <input id="name" name="name" autocomplete="username" maxlength="64" required />
      <button class="wide" disabled>Create an account</button>
    </form>`;
  return page({ title: 'Sign in', main, script: '/passkeys.js' }, look);
}

/** The script of the page: it fetches a challenge, lets the authenticator sign it, and sends the response. */
export const script = `
async function post(path, body = {}) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

async function signIn() {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await post('/passkeys/question'));
  await post('/passkeys/answer', (await navigator.credentials.get({ publicKey })).toJSON());
}

async function signUp(name) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await post('/passkeys/creation', { name }));
  await post('/passkeys/created', (await navigator.credentials.create({ publicKey })).toJSON());
}

const button = document.querySelector('#sign-in');
const problem = document.querySelector('#problem');

const then = (work) => work.then(
  () => location.assign(button.dataset.returnTo),
  (error) => {
    problem.textContent = error.message;
    problem.hidden = false;
  },
);

button.addEventListener('click', () => void then(signIn()));
document.querySelector('#sign-up').addEventListener('submit', (event) => {
  event.preventDefault();
  void then(signUp(new FormData(event.target).get('name')));
});
for (const disabled of document.querySelectorAll('button:disabled')) disabled.disabled = false;
button.focus();
`;
