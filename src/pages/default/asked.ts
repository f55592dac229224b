import type { ConsentPageContext } from '../contexts.js';
import { type Html, html } from '../html.js';
import { hidden } from './fields.js';

/** What is known of who asks, be it for a browser or for a device. */
type Asking = Pick<ConsentPageContext, 'say' | 'describe' | 'nameOf' | 'client' | 'clientHost' | 'scopes'>;

/** Who asks, who speaks for that one, and which scopes are asked for. */
export function asked({ say, describe, nameOf, client, clientHost, scopes }: Asking): Html {
  const values = { client: html`<b>${nameOf(client)}</b>` };
  return html`<p>${say(scopes.length > 0 ? 'consentIntro' : 'consentNothing', values)}</p>
    ${clientHost !== undefined && html`<p>${say('clientAt', { host: html`<code>${clientHost}</code>` })}</p>`}
    ${
      scopes.length > 0 &&
      html`<ul class="scopes">
        ${scopes.map((scope) => html`<li>${describe(scope) ?? say('useScope')} <code>${scope}</code></li>`)}
      </ul>`
    }`;
}

/** Yes or no. */
export const choice = ({ say, action, fields }: Pick<ConsentPageContext, 'say' | 'action' | 'fields'>): Html =>
  html`<form method="post" action="${action}" class="choice">
    ${hidden(fields)}
    <button class="primary" name="decision" value="allow">${say('allow')}</button>
    <button name="decision" value="deny">${say('deny')}</button>
  </form>`;
