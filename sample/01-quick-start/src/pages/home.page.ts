import type { DemoUser } from '../demo-data.js';
import { type Html, html } from 'nest-oauth2/pages';
import { page } from './page.js';

/** The page of the client: public/app.js brings it to life. */
export function homePage({ user, signedOut }: { user?: DemoUser; signedOut?: boolean }): string {
  return page({
    title: 'nest-oauth2 quick start',
    script: 'app.js',
    main: html`<main class="home">
      <div class="intro">
        <h1>Sign in, get a token, call an API</h1>
        <p>
          This page is an OAuth 2.0 client without a secret. It signs you in at its own authorization server with the
          authorization code flow and PKCE, then uses the token it got. Server, API and page are one small Nest
          application.
        </p>
      </div>
      <div class="work">
        <p id="status" class="notice" role="status" ${!signedOut && html`hidden`}>${signedOut && farewell}</p>
        ${startCard(user)} ${tokensCard} ${apiCard}
      </div>
      ${stepsCard}
    </main>`,
  });
}

const farewell = 'You are signed out: the login session has ended, and the page has forgotten its tokens.';

const signOutForm = html`<form method="post" action="/oauth/logout">
  <input type="hidden" name="return_to" value="/?signed_out" /><button>Sign out</button>
</form>`;

const startCard = (user?: DemoUser) =>
  html`<section id="start" class="card">
    <h2>Start here</h2>
    ${
      user
        ? html`<p>
            The server still knows this browser as <b>${user.name}</b>. The page keeps its tokens in its own memory
            only, and has none yet. <a href="/oauth/applications">What has access to your account</a>
          </p>`
        : html`<p>You will be asked to sign in: <b>alice</b> with the password <b>wonderland</b>.</p>`
    }
    <div class="actions">
      <button id="sign-in" class="primary" disabled>Sign in</button>
      ${user && signOutForm}
    </div>
    <noscript><p class="notice bad">This page needs JavaScript: here it is the OAuth client.</p></noscript>
  </section>`;

const tokensCard = html`<section id="tokens" class="card" hidden>
  <h2 tabindex="-1">Your tokens</h2>
  <dl id="token-answer"></dl>
  <div class="actions">
    <button id="refresh">Refresh tokens</button>
    ${signOutForm}
  </div>
</section>`;

const apiCard = html`<section id="api" class="card" hidden>
  <h2>Call the API</h2>
  <p>With <code>profile</code> and <code>notes:read</code> the token may read.</p>
  <div class="actions">
    <button data-call="/api/profile">Read profile</button>
    <button data-call="/api/notes">Read notes</button>
  </div>
  <form id="write">
    <label for="text">A new note</label>
    <div class="row">
      <input id="text" name="text" value="Pack for the looking-glass" required aria-describedby="write-hint" />
      <button>Write it</button>
    </div>
    <p id="write-hint" class="aside">Needs <code>notes:write</code>, which this page did not ask for: expect a 403.</p>
  </form>
  <div id="answer" aria-live="polite"></div>
</section>`;

const step = (id: string, title: string, text: string): Html =>
  html`<li id="step-${id}">
    <h3>${title} <span class="only-heard"></span></h3>
    <p>${text}</p>
    <dl class="detail"></dl>
  </li>`;

const stepsCard = html`<section class="steps" aria-labelledby="steps-title">
  <h2 id="steps-title">What will happen</h2>
  <ol>
    ${step('verifier', 'The page makes up a secret', 'It keeps the code verifier and sends only its SHA-256 hash ahead.')}
    ${step('ask', 'It sends you to the server', 'With who asks, for what, and where to bring the answer.')}
    ${step('decide', 'You sign in and agree', 'On pages of the server: the client never sees your password.')}
    ${step('code', 'You come back with a code', 'Good once, for five minutes, and only together with the verifier.')}
    ${step('swap', 'The code becomes tokens', 'The server hashes the verifier, compares, and answers with tokens.')}
    ${step('call', 'The API checks the token', 'Is it known, is it still valid, does its scope cover this call?')}
    ${step('refresh', 'Later, it is refreshed', 'The refresh token buys a new pair and is used up.')}
  </ol>
</section>`;
