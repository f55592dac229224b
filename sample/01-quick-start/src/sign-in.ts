import { defaultPages, html, pages } from 'nest-oauth2/pages';
import { scopes } from './demo-data.js';

/** The ready-made pages for login, consent and sign-out. The store saves sessions and consents. */
export const signIn = pages({
  site: 'nest-oauth2 quick start',
  logo: '/assets/icon.svg',
  scopes,
  render: {
    // You can replace a page, or extend it as here.
    login(context) {
      const { title, main } = defaultPages.login(context);
      const hint = html`<p class="aside">
        In this demo, sign in as <b>alice</b> with the password <b>wonderland</b>.
      </p>`;
      return { title, main: html`${main} ${hint}` };
    },
  },
});
