import { html } from 'nest-oauth2/pages';

/** Back to the request that somebody came from, and to no other place: what a link says must not lead a user away. */
const placeFor = (returnTo: unknown) =>
  typeof returnTo === 'string' && /^\/oauth\/\w+(\?|$)/.test(returnTo) ? returnTo : '/';

export const loginPage = (returnTo: unknown): string =>
  String(
    html`<!doctype html>
      <html lang="en">
        <title>Sign in</title>
        <link rel="icon" href="data:," />
        <script src="/passkeys.js" type="module"></script>
        <body data-return-to="${placeFor(returnTo)}">
          <h1>Sign in</h1>
          <p role="alert" id="problem"></p>
          <p><button id="sign-in" autofocus>Sign in with a passkey</button></p>
          <form id="sign-up">
            <p>
              <label>Name <input name="name" autocomplete="username" maxlength="64" required /></label>
            </p>
            <button>Make an account</button>
          </form>
        </body>
      </html>`,
  );

/** What the browser does: it fetches a question, has it answered by an authenticator, and sends the answer. */
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

const then = (work) => work.then(
  () => location.assign(document.body.dataset.returnTo),
  (error) => (document.querySelector('#problem').textContent = error.message),
);

document.querySelector('#sign-in').addEventListener('click', () => void then(signIn()));
document.querySelector('#sign-up').addEventListener('submit', (event) => {
  event.preventDefault();
  void then(signUp(new FormData(event.target).get('name')));
});
`;
