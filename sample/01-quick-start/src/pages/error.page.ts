import { html } from 'nest-oauth2/pages';
import { page } from './page.js';

/** Renders the error page of the application. */
export function errorPage(status: number, path: string): string {
  const title = status === 404 ? 'Page not found' : 'Something went wrong';
  return page({
    title,
    main: html`<main class="narrow card">
      <p class="eyebrow">${status}</p>
      <h1>${title}</h1>
      <p>${status === 404 ? html`There is no page at <code>${path}</code>.` : 'The request could not be processed.'}</p>
      <p><a href="/">Back to the home page</a></p>
    </main>`,
  });
}
