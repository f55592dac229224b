import { defaultPages, html, pages } from 'nest-oauth2/pages';
import { scopes } from './demo-data.js';

/**
 * Login, consent, sign-out and the rest of what a user meets, ready-made: the store checks the password, keeps the
 * session and remembers what was agreed to.
 */
export const signIn = pages({
  site: 'nest-oauth2 quick start',
  logo: '/assets/icon.svg',
  scopes,
  render: {
    // A page can be replaced, or added to as here.
    login(context) {
      const { title, main } = defaultPages.login(context);
      const hint = html`<p class="aside">For this demo: <b>alice</b> with the password <b>wonderland</b>.</p>`;
      return { title, main: html`${main} ${hint}` };
    },
  },
});
