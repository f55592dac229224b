import type { ErrorPageContext, Page } from '../contexts.js';
import { html } from '../html.js';

/** Renders the error page, for errors that cannot be returned to a client. */
export function error({ say, error: failure }: ErrorPageContext): Page {
  const title = say('errorTitle');
  const isOurs = failure.status >= 500;
  return {
    title: say('problem', { title }),
    main: html`<h1>${title}</h1>
      <p class="notice bad" role="alert">${say(isOurs ? 'ourFault' : 'theirFault')}</p>
      <p>${say('nothingGiven')}</p>
      ${!isOurs && html`<p class="aside">${say('forDeveloper')} <code>${failure.name}</code> ${failure.message}</p>`}`,
  };
}
