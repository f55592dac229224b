import { redirectPlace } from '../../../lib/features/client-id-documents/client-id-url.js';
import type { Client } from '../../../lib/index.js';
import type { ConsentPageContext, Page } from '../contexts.js';
import { html } from '../html.js';
import { hidden } from './fields.js';

/** Asks whether the client may have what it would get. */
export function consent(context: ConsentPageContext): Page {
  const { say, describe, nameOf, action, fields, user, client, scopes, resources, redirectUri, accounts } = context;
  const { clientHost } = context;
  const title = say('consentTitle');
  const values = { client: html`<b>${nameOf(client)}</b>` };
  return {
    title,
    main: html`<h1>${title}</h1>
      <p>${say(scopes.length > 0 ? 'consentIntro' : 'consentNothing', values)}</p>
      ${clientHost !== undefined && html`<p>${say('clientAt', { host: html`<code>${clientHost}</code>` })}</p>`}
      ${
        scopes.length > 0 &&
        html`<ul class="scopes">
          ${scopes.map((scope) => html`<li>${describe(scope) ?? say('useScope')} <code>${scope}</code></li>`)}
        </ul>`
      }
      ${
        resources.length > 0 &&
        html`<ul>
          ${resources.map((resource) => html`<li>${say('accessTo', { resource: html`<code>${resource}</code>` })}</li>`)}
        </ul>`
      }
      ${
        redirectPlace(client, redirectUri) === 'elsewhere' &&
        html`<p class="notice bad">${say('answeredElsewhere', { place: placeOf(redirectUri), host: clientHost })}</p>`
      }
      ${isAnybody(client, redirectUri) && html`<p class="notice bad">${say('clientHere')}</p>`}
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

/** On the user's own device whatever runs there can pass itself off as a client without a secret. RFC 8252 §8.6 */
function isAnybody({ tokenEndpointAuthMethod }: Client, redirectUri: string): boolean {
  return (
    tokenEndpointAuthMethod === 'none' && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(redirectUri).hostname)
  );
}

/** The host of a web address; of an app's own scheme, that: nothing behind it says whose it is. */
function placeOf(uri: string): string {
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : protocol;
}
