import { html } from 'nest-oauth2/pages';
import { page } from './page.js';

/** Answers a request that no other page answers. */
export function problemPage(status: number, path: string): string {
  const title = status === 404 ? 'There is nothing here' : 'That did not work';
  return page({
    title,
    main: html`<main class="narrow card">
      <p class="eyebrow">${status}</p>
      <h1>${title}</h1>
      <p>${status === 404 ? html`No page has the address <code>${path}</code>.` : 'The request was not understood.'}</p>
      <p><a href="/">Back to the start</a></p>
    </main>`,
  });
}
