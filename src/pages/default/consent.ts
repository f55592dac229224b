import type { ConsentPageContext, Page } from '../contexts.js';
import { html } from '../html.js';
import { hidden } from './fields.js';

/** Asks whether the client may have what it would get. */
export function consent(context: ConsentPageContext): Page {
  const { say, describe, nameOf, action, fields, user, client, scopes, redirectUri, accounts } = context;
  const title = say('consentTitle');
  const values = { client: html`<b>${nameOf(client)}</b>` };
  return {
    title,
    main: html`<h1>${title}</h1>
      <p>${say(scopes.length > 0 ? 'consentIntro' : 'consentNothing', values)}</p>
      ${
        scopes.length > 0 &&
        html`<ul class="scopes">
          ${scopes.map((scope) => html`<li>${describe(scope) ?? say('useScope')} <code>${scope}</code></li>`)}
        </ul>`
      }
      <form method="post" action="${action}" class="choice">
        ${hidden(fields)}
        <button class="primary" name="decision" value="allow">${say('allow')}</button>
        <button name="decision" value="deny">${say('deny')}</button>
      </form>
      <p class="aside">
        ${say('signedInAs', { user: html`<b>${nameOf(user)}</b>` })}
        ${say('answeredAt', { place: html`<code>${placeOf(redirectUri)}</code>` })}
        ${accounts !== undefined && html`<a href="${accounts}">${say('otherAccount')}</a>`}
      </p>`,
  };
}

/** The host of a web address; of an app's own scheme, that: nothing behind it says whose it is. */
function placeOf(uri: string): string {
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : protocol;
}
