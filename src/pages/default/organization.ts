import type { OrganizationPageContext, Page } from '../render/contexts.js';
import { html } from '../render/html.js';
import { hidden, INVALID, problemNotice } from './fields.js';

/** Renders the page that asks for the organization before consent. No organization is chosen in advance. */
export function organization(context: OrganizationPageContext): Page {
  const { message, nameOf, action, fields, user, client, organizations, accounts, problem } = context;
  const title = message('organizationTitle');
  const intro = message('organizationIntro', { client: html`<b>${nameOf(client)}</b>` });
  return {
    title: problem ? message('problem', { title }) : title,
    main: html`<h1>${title}</h1>
      ${problemNotice(message, problem)}
      <form method="post" action="${action}">
        ${hidden(fields)}
        <fieldset>
          <legend>${intro}</legend>
          ${organizations.map(
            ({ id, name }) =>
              html`<label class="check">
                <input
                  type="radio"
                  name="choice"
                  value="${id}"
                  required
                  ${problem === 'organizationInvalid' && INVALID}
                />
                <bdi>${name}</bdi>
              </label>`,
          )}
        </fieldset>
        <button class="primary wide">${message('continue')}</button>
      </form>
      <p class="aside">
        ${message('signedInAs', { user: html`<b>${nameOf(user)}</b>` })}
        <a href="${accounts}">${message('otherAccount')}</a>
      </p>`,
  };
}
