import type { Endpoint } from '../../../lib/internal.js';
import type { User } from '../../../lib/index.js';
import { hidden } from '../../pages/default/fields.js';
import type { OwnPageContext, Page } from '../../pages/render/contexts.js';
import { html } from '../../pages/render/html.js';
import { requireSecondFactor } from '../../pages/second-factor/require.js';
import { definePage } from '../../pages/toolkit/define-page.js';
import type { PageCall } from '../../pages/toolkit/page-call.js';
import { MESSAGES, type MessageKey, type PageKey } from '../messages.js';
import { REFUSALS } from '../refusals.js';
import { reportUpstreamRefusal } from '../upstream-events.js';
import { UPSTREAM_SERVER } from '../upstream-server.js';
import { type ConsentLink, ConsentLinks } from '../vault/consent-links.js';
import { beginAttempt } from './begin.js';
import { FRESH_LOGIN } from './callback.js';
import { REFUSAL_PROBLEMS } from './refusal-page.js';

interface ConsentData {
  /** The name of the provider on pages. Empty if the link is invalid. */
  readonly label: string;
  /** The link, for the form. */
  readonly consent: string | undefined;
}

/**
 * The page to which `UpstreamConsentRequired` sends a user. The user continues to the provider, which asks for the
 * scope. The link is valid for this user only, so another user cannot be led to give access to data.
 */
export const consentPage = (): Endpoint =>
  definePage<ConsentData, MessageKey>({
    path: 'oauth/connections/consent',
    summary: 'A page on which the user gives access to an account at a provider',
    messages: MESSAGES,
    problems: REFUSAL_PROBLEMS,
    leavesSite: true,
    async get(call) {
      const user = await call.findUser();
      if (!user) return call.login(call.path({ consent: textOf(call) }));
      const link = linkOf(call, user);
      if (!link) {
        if (call.problemName === undefined) reportWrongLink(call, user);
        call.problemName ??= REFUSALS.wrongConsent.message;
      }
      return { label: link ? labelOf(call, link) : '', consent: link && textOf(call) };
    },
    async post(call) {
      const user = await call.findUser(FRESH_LOGIN);
      if (!user) return call.login(call.path({ consent: textOf(call) }), { reauthenticate: true });
      const refused = await requireSecondFactor(call, call.path({ consent: textOf(call) }));
      if (refused) return refused;
      const link = linkOf(call, user);
      if (!link) {
        reportWrongLink(call, user);
        return call.problem(REFUSALS.wrongConsent.message);
      }
      const { provider, scope, userId: linkTo } = link;
      const begun = await beginAttempt(call, provider, { returnTo: undefined, linkTo, scope });
      return 'refusal' in begun ? call.problem(REFUSALS[begun.refusal].message) : begun;
    },
    render,
  });

const textOf = (call: PageCall) => call.text('consent');

/** Returns the consent of the link. `undefined` if the link is invalid, or the provider was removed. */
function linkOf(call: PageCall, user: User): ConsentLink | undefined {
  const link = new ConsentLinks(call.server).read(textOf(call), user);
  return link && call.server.find(UPSTREAM_SERVER)!.provider(link.provider) ? link : undefined;
}

const labelOf = ({ server }: PageCall, { provider }: ConsentLink) =>
  server.find(UPSTREAM_SERVER)!.provider(provider)!.label;

function reportWrongLink({ server, request, endpoint }: PageCall, user: User): void {
  reportUpstreamRefusal('wrongConsent', { server, request, endpoint, provider: '', userId: user['id'] });
}

function render({ label, consent }: ConsentData, context: OwnPageContext<PageKey>): Page {
  const { message, problem, action, fields } = context;
  const values = { provider: label };
  const title = message(label === '' ? 'connectionsTitle' : 'upstreamConsentTitle', values);
  return {
    title: problem ? message('problem', { title }) : title,
    main: html`<h1>${title}</h1>
      ${problem && html`<p class="notice bad" role="alert">${message(problem, values)}</p>`}
      ${
        consent !== undefined &&
        html`<p>${message('upstreamConsentIntro', values)}</p>
          <form method="post" action="${action}">
            ${hidden({ ...fields, consent })}
            <button class="wide">${message('upstreamConsentContinue', values)}</button>
          </form>`
      }`,
  };
}
