import type { Client } from '../../../lib/index.js';
import type { ConsentPageContext } from '../contexts.js';
import { type Html, html } from '../html.js';
import { hidden } from './fields.js';

/** The parts of a consent page that browsers and devices have in common. */
type AccessRequest = Pick<
  ConsentPageContext,
  'message' | 'describe' | 'nameOf' | 'client' | 'clientLogo' | 'clientHost' | 'scopes' | 'claims' | 'details'
>;

/** Renders which client requests access and to what: scopes, individual claims and authorization details. */
export function requestedAccess(context: AccessRequest): Html {
  const { message, describe, nameOf, client, clientLogo, clientHost, scopes, claims = [], details = [] } = context;
  const values = { client: html`<b>${nameOf(client)}</b>` };
  return html`${clientLogo !== undefined && html`<img class="client-logo" src="${clientLogo}" alt="" />`}
    <p>${message(scopes.length + details.length > 0 ? 'consentIntro' : 'consentNothing', values)}</p>
    ${clientHost !== undefined && html`<p>${message('clientHost', { host: html`<code>${clientHost}</code>` })}</p>`}
    ${linksOf(client, message)}
    ${
      scopes.length > 0 &&
      html`<ul class="scopes">
        ${scopes.map((scope) => html`<li>${describe(scope) ?? message('otherScope')} <code>${scope}</code></li>`)}
      </ul>`
    }
    ${
      claims.length > 0 &&
      html`<ul>
        ${claims.map((claim) => html`<li>${message('claim', { claim: html`<code>${claim}</code>` })}</li>`)}
      </ul>`
    }
    ${details.map(
      ({ title, lines }) =>
        html`<h2>${title}</h2>
          <ul class="details">
            ${lines.map((line) => html`<li>${line}</li>`)}
          </ul>`,
    )}`;
}

/** Renders links to the privacy policy and the terms of service from the metadata of a client. RFC 7591 §2 */
function linksOf(client: Client, message: AccessRequest['message']): Html | false {
  const { metadata } = client as Client & { metadata?: Readonly<Record<string, unknown>> };
  const links = (['policy_uri', 'tos_uri'] as const).flatMap((member) => {
    const uri = metadata?.[member];
    const isLink = typeof uri === 'string' && /^https?:\/\//i.test(uri);
    return isLink
      ? [html`<a href="${uri}" target="_blank" rel="noopener noreferrer">${message(LINKS[member])}</a> `]
      : [];
  });
  return links.length > 0 && html`<p class="aside">${links}</p>`;
}

const LINKS = { policy_uri: 'clientPolicy', tos_uri: 'clientTerms' } as const;

/** Renders the form with the buttons "Allow" and "Deny". */
export const decisionForm = ({
  message,
  action,
  fields,
}: Pick<ConsentPageContext, 'message' | 'action' | 'fields'>): Html =>
  html`<form method="post" action="${action}" class="choice">
    ${hidden(fields)}
    <button class="primary" name="decision" value="allow">${message('allow')}</button>
    <button name="decision" value="deny">${message('deny')}</button>
  </form>`;
