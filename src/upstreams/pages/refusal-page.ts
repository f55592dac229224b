import { html } from '../../pages/render/html.js';
import type { OwnPageContext, Page } from '../../pages/render/contexts.js';
import type { PageProblemDetails } from '../../pages/toolkit/define-page.js';
import type { PageCall } from '../../pages/toolkit/page-call.js';
import type { MessageKey, PageKey } from '../messages.js';
import { type Refusal, REFUSALS } from '../refusals.js';

/** The data of a page that explains a refusal. */
export interface RefusalData {
  /** The name of the provider on pages. */
  readonly label: string;
  /** The path of the link. */
  readonly next: string;
  /** Whether the user wanted to connect the provider. The link then leads to the connected accounts. */
  readonly isLinking?: boolean;
}

/** The statuses of the pages of refusals, by the name of their message. */
export const REFUSAL_PROBLEMS: { readonly [Name in MessageKey]?: PageProblemDetails } = Object.fromEntries(
  Object.values(REFUSALS).map(({ message, status }) => [message, { status }]),
);

/** Returns the data of a page that explains a refusal, with the status of the refusal. */
export function refusalData(call: PageCall, refusal: Refusal, data: RefusalData): RefusalData {
  call.problemName = REFUSALS[refusal].message;
  return data;
}

/** Renders a page that explains a refusal, with a link that goes on. */
export function renderRefusal(data: RefusalData, { message, problem }: OwnPageContext<PageKey>): Page {
  const { label, next, isLinking = false } = data;
  const values = { provider: label };
  const title = message(isLinking ? 'connectionsConnect' : 'upstreamTitle', values);
  return {
    title: message('problem', { title }),
    main: html`<h1>${title}</h1>
      <p class="notice bad" role="alert">${message(problem ?? 'upstreamFailed', values)}</p>
      <p><a class="button wide" href="${next}">${message(isLinking ? 'connectionsTitle' : 'upstreamBack')}</a></p>`,
  };
}
