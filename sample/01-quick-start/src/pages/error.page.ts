import type { OAuthError } from 'nest-oauth2';
import { html } from './html.js';
import { page } from './page.js';

/** Tells the user why they are not sent on: whoever asked cannot be trusted with an answer. */
export function errorPage(error: OAuthError): string {
  const isOurs = error.status >= 500;
  return page({
    title: 'Problem: you cannot go on',
    main: html`<main class="narrow card">
      <p class="eyebrow">Authorization server</p>
      <h1>You cannot go on from here</h1>
      <p class="notice bad" role="alert">${isOurs ? ourFault : theirFault}</p>
      <p>Nobody was given anything. <a href="/">Back to the start</a></p>
      ${!isOurs && html`<p class="aside">For its developer: <code>${error.name}</code> ${error.message}</p>`}
    </main>`,
  });
}

const ourFault = 'Something went wrong on this server. Please try again later.';
const theirFault =
  'The application that sent you here is not known, or asks for its answer at an address that is not its own.';
