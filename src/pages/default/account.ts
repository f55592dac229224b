import type { AccountPageContext, Page, SignOutPageContext } from '../render/contexts.js';
import { html, isolated } from '../render/html.js';
import { hidden } from './fields.js';

/** Renders the page that asks whether to continue with the signed-in account or with another. */
export function account({ message, nameOf, action, fields, user, returnTo }: AccountPageContext): Page {
  const title = message('accountTitle');
  return {
    title,
    main: html`<h1>${title}</h1>
      <a class="button primary wide" href="${returnTo}">${message('continueAs', { user: isolated(nameOf(user)) })}</a>
      <form method="post" action="${action}">
        ${hidden(fields)}
        <button class="wide">${message('otherAccount')}</button>
      </form>`,
  };
}

/** Renders the page that asks whether to sign out, or confirms that the user is signed out. */
export function signOut({ message, nameOf, action, fields, user, login, frames = [], next }: SignOutPageContext): Page {
  const title = message(user ? 'signOutTitle' : 'signedOutTitle');
  return {
    title,
    main: user
      ? html`<h1>${title}</h1>
          <p>${message('signedInAs', { user: html`<b>${nameOf(user)}</b>` })}</p>
          <form method="post" action="${action}">
            ${hidden(fields)}
            <button class="primary wide">${message('signOut')}</button>
          </form>`
      : html`<h1>${title}</h1>
          <p>${message('signedOutText')}</p>
          <p><a href="${next ?? login}">${message(next === undefined ? 'signInAgain' : 'continue')}</a></p>
          ${frames.map(logoutFrame)}`,
  };
}

/**
 * Renders a frame for the logout page of a client. The page can use its own cookies but cannot navigate this window.
 */
const logoutFrame = (url: string) =>
  html`<iframe
    src="${url}"
    title=""
    hidden
    sandbox="allow-scripts allow-same-origin"
    referrerpolicy="no-referrer"
  ></iframe>`;
