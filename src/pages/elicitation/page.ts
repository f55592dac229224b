import type { Endpoint } from '../../../lib/internal.js';
import { hidden, problemOf } from '../default/fields.js';
import { withQuery } from '../local-path.js';
import { html } from '../render/html.js';
import { definePage } from '../toolkit/define-page.js';
import type { PageCall } from '../toolkit/page-call.js';
import type { Elicitation, Elicitations } from './elicitations.js';
import { ELICITATIONS } from './elicitations-key.js';
import { type ElicitationMessage, MESSAGES } from './messages.js';

type Call = PageCall<ElicitationMessage>;

interface Data {
  readonly elicitation?: Elicitation;
  /** The parameter `elicitation` of the form. */
  readonly text?: string | undefined;
  readonly isDone?: boolean;
  /** The path to sign in as another user. */
  readonly accounts?: string;
}

type Found = NonNullable<ReturnType<Elicitations['read']>>;

const textOfCall = (call: Call) => call.text('elicitation');
const elicitationsOf = (call: Call) => call.server.find(ELICITATIONS)!;
const issuerOf = (call: Call) => call.server.issuerOf(call.request) ?? '';
const pathOfCall = (call: Call) => call.path({ elicitation: textOfCall(call) });

/**
 * The page to which every URL of an elicitation leads. It verifies that the user who opens the URL is the user of the
 * call, and continues at the page of the application or asks the user to confirm. MCP 2026-07-28, Elicitation, Phishing
 */
export const elicitationPage: Endpoint = definePage<Data, ElicitationMessage, Found | 'expired' | 'otherUser'>({
  path: 'oauth/elicitation',
  summary: 'Asks the user to confirm a call of an MCP tool',
  messages: MESSAGES,
  problems: {
    elicitationExpired: { status: 410 },
    elicitationOtherUser: { status: 403, reason: 'a user opened the elicitation of another user' },
  },
  async subject(call) {
    const found = elicitationsOf(call).read(textOfCall(call), issuerOf(call));
    if (!found) return 'expired';
    const user = await call.findUser();
    if (!user) return call.login(pathOfCall(call));
    return elicitationsOf(call).isFor(found, user) ? found : 'otherUser';
  },
  binding: (found) => ` of the elicitation ${typeof found === 'string' ? '' : found.id}`,
  get(call, found) {
    if (found === 'expired') {
      call.problemName = 'elicitationExpired';
      return {};
    }
    if (found === 'otherUser') {
      call.problemName = 'elicitationOtherUser';
      return { accounts: call.site.loginPath(call.request, pathOfCall(call), { selectAccount: true }) };
    }
    if (found.url === undefined) return { elicitation: found, text: textOfCall(call) };
    const { pathname, search } = new URL(found.url);
    return call.redirect(withQuery(pathname + search, { elicitation: textOfCall(call) }));
  },
  async post(call, found) {
    if (found === 'otherUser') return call.problem('elicitationOtherUser');
    if (found === 'expired' || found.url !== undefined) return call.problem('elicitationExpired');
    const isFirst = await elicitationsOf(call).complete(found, issuerOf(call));
    return isFirst ? { elicitation: found, isDone: true } : call.problem('elicitationExpired');
  },
  render({ elicitation, text, isDone, accounts }, context) {
    const { message, action, fields, problem } = context;
    const title = message('elicitationTitle');
    const client = html`<b>${elicitation?.client.name ?? elicitation?.client.id}</b>`;
    return {
      title: problem ? message('problem', { title }) : title,
      main: html`<h1>${title}</h1>
        ${problemOf(context)} ${accounts && html`<p><a href="${accounts}">${message('elicitationSwitch')}</a></p>`}
        ${isDone && html`<p role="status">${message('elicitationDone', { client })}</p>`}
        ${
          elicitation &&
          !isDone &&
          problem !== 'elicitationExpired' &&
          html`<form method="post" action="${action}">
            <p>${message('elicitationFrom', { client })}</p>
            <blockquote>${elicitation.message}</blockquote>
            ${hidden({ ...fields, ...(text !== undefined && { elicitation: text }) })}
            <button class="primary wide">${message('elicitationConfirm')}</button>
          </form>`
        }`,
    };
  },
});
