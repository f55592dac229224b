import { POLICY_URI, TOS_URI } from '../../../lib/internal.js';
import type { Client } from '../../../lib/index.js';
import type { ConsentPageContext } from '../render/contexts.js';
import { type Html, html } from '../render/html.js';
import { hidden } from './fields.js';

/** The parts of a consent page that browsers and devices have in common. */
type AccessRequest = Pick<
  ConsentPageContext,
  | 'message'
  | 'describe'
  | 'nameOf'
  | 'client'
  | 'clientLogo'
  | 'clientHost'
  | 'scopes'
  | 'optionalScopes'
  | 'claims'
  | 'details'
  | 'organization'
>;

/** Renders which client requests access and to what: scopes, individual claims and authorization details. */
export function requestedAccess(context: AccessRequest): Html {
  const { message, nameOf, client, clientLogo, clientHost, scopes, claims = [], details = [], organization } = context;
  const values = { client: html`<b>${nameOf(client)}</b>` };
  return html`${clientLogo !== undefined && html`<img class="client-logo" src="${clientLogo}" alt="" />`}
    <p>${message(scopes.length + details.length > 0 ? 'consentIntro' : 'consentNothing', values)}</p>
    ${clientHost !== undefined && html`<p>${message('clientHost', { host: html`<code>${clientHost}</code>` })}</p>`}
    ${scopeList(scopes, context)}
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
    )}
    ${organization && html`<p>${message('organizationAccess', { organization: html`<b>${organization.name}</b>` })}</p>`}
    ${linksOf(client, message)}`;
}

/**
 * Renders the requested scope values. Every permission of a long list stays visible: only the technical names, which
 * would double its height, are in a closed element.
 */
function scopeList(scopes: readonly string[], context: AccessRequest): Html | false {
  const { message, describe, optionalScopes = [] } = context;
  const isLong = scopes.length > MAX_NAMED;
  const codes = new Map(scopes.map((scope) => [scope, html`<code>${scope}</code>`]));
  const item = (scope: string) => {
    const description = describe(scope);
    const text = description ?? message('otherScope', { scope: codes.get(scope) });
    const name = description !== undefined && html` ${!isLong && codes.get(scope)}`;
    if (optionalScopes.length === 0) return html`<li>${text}${name}</li>`;
    const isOptional = optionalScopes.includes(scope);
    const state = isOptional ? html`name="granted_scope" value="${scope}"` : html`disabled`;
    return html`<li>
      <label class="check"><input type="checkbox" form="${DECISION}" ${state} checked />${text}</label>
      ${isOptional ? name : html`<span class="aside">${message('scopeRequired')}</span>`}
    </li>`;
  };
  return (
    scopes.length > 0 &&
    html`${optionalScopes.length > 0 && html`<p class="aside">${message('consentChoice')}</p>`}
      <ul class="scopes${isLong && ' long'}">
        ${scopes.map(item)}
      </ul>
      ${
        isLong &&
        html`<details class="aside">
          <summary>${message('scopeNames')}</summary>
          ${[...codes.values()].map((code) => html`${code} `)}
        </details>`
      }`
  );
}

/** The ID of the form with the buttons, to which check boxes outside of it belong. */
const DECISION = 'decision';

/** Maximum number of scope values that are listed together with their technical names. */
const MAX_NAMED = 8;

/** Renders links to the privacy policy and the terms of service of a client. RFC 7591 §2 */
function linksOf(client: Client, message: AccessRequest['message']): Html | false {
  const links = LINKS.flatMap(([field, label]) => {
    const uri = field.of(client);
    const isLink = typeof uri === 'string' && /^https?:\/\//i.test(uri);
    return isLink ? [html`<a href="${uri}" target="_blank" rel="noopener noreferrer">${message(label)}</a> `] : [];
  });
  return links.length > 0 && html`<p class="aside">${links}</p>`;
}

const LINKS = [
  [POLICY_URI, 'clientPolicy'],
  [TOS_URI, 'clientTerms'],
] as const;

/** Renders the form with the buttons "Allow" and "Deny". */
export const decisionForm = ({
  message,
  action,
  fields,
}: Pick<ConsentPageContext, 'message' | 'action' | 'fields'>): Html =>
  html`<form method="post" action="${action}" class="choice" id="${DECISION}">
    ${hidden(fields)}
    <button class="primary" name="decision" value="allow">${message('allow')}</button>
    <button name="decision" value="deny">${message('deny')}</button>
  </form>`;
