import type { DemoUser } from '../demo-data.js';
import { type Html, html } from 'nest-oauth2/pages';
import { page } from './page.js';

/** Renders the page of the client. Its script is public/app.js. */
export function homePage({ user, signedOut }: { user?: DemoUser; signedOut?: boolean }): string {
  return page({
    title: 'nest-oauth2 quick start',
    script: 'app.js',
    main: html`<main class="home">
      <div class="intro">
        <h1>Sign in, get a token, call an API</h1>
        <p>
          This page is a public OAuth 2.0 client. It signs you in with the authorization code flow and PKCE, then calls
          an API with the access token. The authorization server, the API and this page are one small Nest application.
        </p>
      </div>
      <div class="work">
        <p id="status" class="notice" role="status" ${!signedOut && html`hidden`}>${signedOut && signedOutMessage}</p>
        ${startCard(user)} ${tokensCard} ${apiCard}
      </div>
      ${stepsCard}
    </main>`,
  });
}

const signedOutMessage = 'You are signed out. Your login session has ended, and this page has discarded its tokens.';

const signOutForm = html`<form method="post" action="/oauth/logout">
  <input type="hidden" name="return_to" value="/?signed_out" /><button>Sign out</button>
</form>`;

const startCard = (user?: DemoUser) =>
  html`<section id="start" class="card">
    <h2>Start here</h2>
    ${
      user
        ? html`<p>
            You still have a login session as <b>${user.name}</b>. This page stores tokens only in memory and has none
            yet. <a href="/oauth/applications">Apps with access to your account</a>
          </p>`
        : html`<p>Sign in as <b>alice</b> with the password <b>wonderland</b>.</p>`
    }
    <div class="actions">
      <button id="sign-in" class="primary" disabled>Sign in</button>
      ${user && signOutForm}
    </div>
    <noscript><p class="notice bad">This page needs JavaScript.</p></noscript>
  </section>`;

const tokensCard = html`<section id="tokens" class="card" hidden>
  <h2 tabindex="-1">Your tokens</h2>
  <dl id="token-response"></dl>
  <div class="actions">
    <button id="refresh">Refresh tokens</button>
    ${signOutForm}
  </div>
</section>`;

const apiCard = html`<section id="api" class="card" hidden>
  <h2>Call the API</h2>
  <p>The access token has the scopes <code>profile</code> and <code>notes:read</code>.</p>
  <div class="actions">
    <button data-call="/api/profile">Read profile</button>
    <button data-call="/api/notes">Read notes</button>
  </div>
  <form id="write">
    <label for="text">New note</label>
    <div class="row">
      <input id="text" name="text" value="Pack for the looking-glass" required aria-describedby="write-hint" />
      <button>Add note</button>
    </div>
    <p id="write-hint" class="aside">
      Requires <code>notes:write</code>, which this page did not request: expect a 403.
    </p>
  </form>
  <div id="api-response" aria-live="polite"></div>
</section>`;

const step = (id: string, title: string, text: string): Html =>
  html`<li id="step-${id}">
    <h3>${title} <span class="visually-hidden"></span></h3>
    <p>${text}</p>
    <dl class="detail"></dl>
  </li>`;

const stepsCard = html`<section class="steps" aria-labelledby="steps-title">
  <h2 id="steps-title">What will happen</h2>
  <ol>
    ${step('verifier', 'The page creates a code verifier', 'It stores the verifier and sends only its SHA-256 hash.')}
    ${step('request', 'The page sends you to the server', 'The URL names the client, the scope and the redirect URI.')}
    ${step('decide', 'You sign in and allow access', 'On pages of the server: the client never sees your password.')}
    ${step('code', 'You return with a code', 'It is single-use, expires after five minutes and needs the verifier.')}
    ${step('redeem', 'The page redeems the code', 'The server verifies the code verifier and returns tokens.')}
    ${step('call', 'The API checks the token', 'The API accepts a valid token with the required scope.')}
    ${step('refresh', 'The page refreshes the tokens', 'Each refresh token is single-use and returns a new one.')}
  </ol>
</section>`;
