import type { AuthorizedApplication, AuthorizedGrant } from '../../../lib/index.js';
import type { ApplicationsPageContext, Page } from '../render/contexts.js';
import { Html, html, isolated } from '../render/html.js';
import { hidden, problemNotice } from './fields.js';

/** Renders the list of applications with access to the account, with a button to remove each access. */
export function applications(context: ApplicationsPageContext): Page {
  const { message, nameOf, user, applications: all, accessRemoved, consentForgotten, problem } = context;
  const title = message('applicationsTitle');
  return {
    title,
    main: html`<h1>${title}</h1>
      ${problemNotice(message, problem)}
      ${accessRemoved && html`<p class="notice" role="status">${message('accessRemoved')}</p>`}
      ${consentForgotten && html`<p class="notice" role="status">${message('consentForgotten')}</p>`}
      <p class="aside">${message('signedInAs', { user: html`<b>${nameOf(user)}</b>` })}</p>
      <p>${message(all.length > 0 ? 'applicationsIntro' : 'applicationsNone')}</p>
      ${applicationList(
        context,
        (content, clientId, name, grantId) =>
          html`<form method="post" action="${context.action}">
            ${hidden({
              ...context.fields,
              client_id: clientId,
              ...(name === 'ask_again' && { ask_again: '1' }),
              ...(grantId !== undefined && { grant_id: grantId }),
            })}
            ${content}
          </form>`,
        'h2',
      )}`,
  };
}

/** The parts of the context that the list needs. */
type ListContext = Pick<
  ApplicationsPageContext,
  'message' | 'describe' | 'date' | 'nameOf' | 'applications' | 'loginUrls'
>;

/**
 * Renders a form around its button: one that removes the access or, with `grantId`, that of one installation, or that
 * deletes the remembered consent only.
 */
type ListForm = (content: Html, clientId: string, name: 'remove' | 'ask_again', grantId?: string) => Html;

/** Renders the applications, each with its forms. */
export function applicationList(context: ListContext, form: ListForm, heading: 'h2' | 'h3'): Html | undefined {
  const { applications: all } = context;
  if (all.length === 0) return undefined;
  return html`<ul class="applications">
    ${all.map((one) => entry(one, context, { form, heading: new Html(heading) }))}
  </ul>`;
}

function entry(
  application: AuthorizedApplication,
  { message, describe, date, nameOf, loginUrls }: ListContext,
  { form, heading }: { form: ListForm; heading: Html },
): Html {
  const { clientId, client, scope = '', createdAt, lastUsedAt, consentRemembered, grants = [] } = application;
  const name = client ? nameOf(client) : message('unknownApplication');
  const loginUrl = loginUrls?.get(clientId);
  const allowed = scope.split(' ').filter(Boolean);
  return html`<li class="stack">
    <${heading}>${isolated(name)}</${heading}>
    ${
      allowed.length > 0 &&
      html`<ul>
        ${allowed.map((one) => html`<li>${describe(one) ?? message('otherScope', { scope: html`<code>${one}</code>` })}</li>`)}
      </ul>`
    }
    ${loginUrl !== undefined && html`<p><a href="${loginUrl}" rel="noreferrer">${message('goTo', { client: isolated(name) })}</a></p>`}
    <p class="aside">
      ${message('accessDates', { date: isolated(date(createdAt)), used: isolated(date(lastUsedAt)) })}
    </p>
    ${
      grants.length > 1 &&
      html`<p>${message('installations')}</p>
        <ul>
          ${grants.map((grant) => installation(grant, application, { message, date, name, form }))}
        </ul>`
    }
    <div class="choice">
      ${form(
        html`<button aria-label="${message('removeAccessOf', { client: name })}">${message('removeAccess')}</button>`,
        clientId,
        'remove',
      )}
      ${
        consentRemembered === true &&
        form(
          html`<button aria-label="${message('askAgainOf', { client: name })}">${message('askAgain')}</button>`,
          clientId,
          'ask_again',
        )
      }
    </div>
  </li>`;
}

/** Renders one grant of an application with several grants, and a button to end it. */
function installation(
  { id, createdAt, lastUsedAt }: AuthorizedGrant,
  { clientId }: AuthorizedApplication,
  { message, date, name, form }: Pick<ListContext, 'message' | 'date'> & { name: string | Html; form: ListForm },
): Html {
  const dates = { date: isolated(date(createdAt)), used: isolated(date(lastUsedAt)) };
  const button = html`<button aria-label="${message('removeInstallationOf', { client: name })}">
    ${message('removeInstallation')}
  </button>`;
  return html`<li>
    <span class="aside">${message('accessDates', dates)}</span> ${form(button, clientId, 'remove', id)}
  </li>`;
}
