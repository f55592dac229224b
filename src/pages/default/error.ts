import type { ErrorPageContext, Page } from '../render/contexts.js';
import { html } from '../render/html.js';

/** Renders the error page, for errors that cannot be returned to a client. */
export function error({ message, error: failure }: ErrorPageContext): Page {
  const title = message('errorTitle');
  const isOurs = failure.status >= 500;
  return {
    title: message('problem', { title }),
    main: html`<h1>${title}</h1>
      <p class="notice bad" role="alert">${message(isOurs ? 'serverError' : 'requestError')}</p>
      <p>${message('noAccess')}</p>
      ${!isOurs && html`<p class="aside">${message('forDeveloper')} <code>${failure.name}</code> ${failure.message}</p>`}`,
  };
}
