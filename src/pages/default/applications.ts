import type { AuthorizedApplication } from '../../../lib/index.js';
import type { ApplicationsPageContext, Page } from '../contexts.js';
import { type Html, html } from '../html.js';
import { hidden } from './fields.js';

/** Renders the list of applications with access to the account, with a button to remove each access. */
export function applications(context: ApplicationsPageContext): Page {
  const { say, nameOf, user, applications: all, ended } = context;
  const title = say('applicationsTitle');
  return {
    title,
    main: html`<h1>${title}</h1>
      ${ended && html`<p class="notice" role="status">${say('ended')}</p>`}
      <p class="aside">${say('signedInAs', { user: html`<b>${nameOf(user)}</b>` })}</p>
      <p>${say(all.length > 0 ? 'applicationsIntro' : 'applicationsNone')}</p>
      ${
        all.length > 0 &&
        html`<ul class="applications">
          ${all.map((one) => entry(one, context))}
        </ul>`
      }`,
  };
}

function entry(
  application: AuthorizedApplication,
  { say, describe, date, nameOf, action, fields, places }: ApplicationsPageContext,
): Html {
  const { clientId, client, scope = '', createdAt, lastUsedAt } = application;
  const name = client ? nameOf(client) : say('unknownApplication');
  const place = places?.get(clientId);
  const allowed = scope.split(' ').filter(Boolean);
  return html`<li class="stack">
    <h2>${name}</h2>
    ${
      allowed.length > 0 &&
      html`<ul>
        ${allowed.map((one) => html`<li>${describe(one) ?? html`<code>${one}</code>`}</li>`)}
      </ul>`
    }
    ${place !== undefined && html`<p><a href="${place}" rel="noreferrer">${say('goTo', { client: name })}</a></p>`}
    <p class="aside">${say('since', { date: date(createdAt), used: date(lastUsedAt) })}</p>
    <form method="post" action="${action}">
      ${hidden({ ...fields, client_id: clientId })}
      <button aria-label="${say('endOf', { client: name })}">${say('end')}</button>
    </form>
  </li>`;
}
