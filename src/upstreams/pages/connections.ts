import type { Endpoint } from '../../../lib/internal.js';
import { hidden } from '../../pages/default/fields.js';
import type { OwnPageContext, Page } from '../../pages/render/contexts.js';
import { type Html, html, isolated } from '../../pages/render/html.js';
import { requireSecondFactor } from '../../pages/second-factor/require.js';
import { definePage } from '../../pages/toolkit/define-page.js';
import type { PageCall } from '../../pages/toolkit/page-call.js';
import { type Connection, disconnect, listConnections } from '../linking/connections.js';
import { MESSAGES, type MessageKey, type PageKey } from '../messages.js';
import { type Refusal, REFUSALS } from '../refusals.js';
import { reportUpstream, reportUpstreamRefusal } from '../upstream-events.js';
import { UPSTREAM_SERVER } from '../upstream-server.js';
import { beginAttempt } from './begin.js';
import { FRESH_LOGIN } from './callback.js';
import { REFUSAL_PROBLEMS } from './refusal-page.js';

interface ConnectionsData {
  readonly connections: readonly Connection[];
  /** The providers that the user can connect, by name, with their names on pages. */
  readonly offered: readonly (readonly [name: string, label: string])[];
  readonly isChanged: boolean;
  /** The name of the provider in the message of a problem. */
  readonly label: string;
}

/**
 * The page on which users connect providers to their account and disconnect them. Both require a recent login with
 * the second factor of the account, because a session or a password may have been stolen.
 */
export const connectionsPage = (): Endpoint =>
  definePage<ConnectionsData, MessageKey>({
    path: 'oauth/connections',
    summary: 'A page with the connected accounts of the user',
    messages: MESSAGES,
    signedIn: true,
    problems: REFUSAL_PROBLEMS,
    leavesSite: true,
    async get(call) {
      const upstreams = upstreamsOf(call);
      const providers = upstreams.names.map((name) => [name, upstreams.provider(name)!] as const);
      const name = nameOf(call);
      return {
        connections: await listConnections(upstreams, call.user),
        offered: providers.filter(([, { use }]) => use !== 'signIn').map(([one, { label }]) => [one, label]),
        isChanged: call.problemName === undefined && 'changed' in call.request.query,
        label: (name !== undefined && upstreams.provider(name)?.label) || '',
      };
    },
    async post(call) {
      const user = await call.findUser(FRESH_LOGIN);
      if (!user) return call.login(call.path(), { reauthenticate: true });
      const refused = await requireSecondFactor(call);
      if (refused) return refused;
      const name = nameOf(call);
      const provider = name === undefined ? undefined : upstreamsOf(call).provider(name);
      if (provider) {
        if (provider.use === 'signIn') return refuse(call, 'signInOnly', name!);
        const begun = await beginAttempt(call, name!, { returnTo: undefined, linkTo: String(user['id']) });
        return 'refusal' in begun ? call.problem(REFUSALS[begun.refusal].message) : begun;
      }
      const removed = await disconnect(upstreamsOf(call), user, call.text('disconnect') ?? '');
      if (removed === false) return refuse(call, 'lastSignIn', '');
      if (!removed) return call.redirect();
      const { provider: removedName, iss } = removed.identity;
      const details = { ...eventOf(call, removedName), iss, userId: user['id'] };
      reportUpstream('upstream.unlinked', details);
      return call.redirect(call.path({ changed: '' }));
    },
    render,
  });

const upstreamsOf = ({ server }: PageCall) => server.find(UPSTREAM_SERVER)!;

const nameOf = (call: PageCall) => call.text('connect');

const eventOf = ({ server, request, endpoint }: PageCall, provider: string) => ({
  server,
  request,
  endpoint,
  provider,
});

function refuse(call: PageCall<PageKey>, refusal: Refusal, provider: string) {
  reportUpstreamRefusal(refusal, { ...eventOf(call, provider), userId: call.user['id'] });
  return call.problem(REFUSALS[refusal].message);
}

function render(data: ConnectionsData, context: OwnPageContext<PageKey>): Page {
  const { connections, offered, isChanged, label } = data;
  const { message, problem, action, fields } = context;
  const title = message('connectionsTitle');
  return {
    title: problem ? message('problem', { title }) : title,
    main: html`<h1>${title}</h1>
      ${problem && html`<p class="notice bad" role="alert">${message(problem, { provider: label })}</p>`}
      ${isChanged && html`<p class="notice" role="status">${message('connectionsChanged')}</p>`}
      <p>${message(connections.length > 0 ? 'connectionsIntro' : 'connectionsNone')}</p>
      ${
        connections.length > 0 &&
        html`<ul class="applications">
          ${connections.map((one) => entry(one, context))}
        </ul>`
      }
      ${offered.map(
        ([name, shown]) =>
          html`<form method="post" action="${action}">
            ${hidden({ ...fields, connect: name })}
            <button class="wide">${message('connectionsConnect', { provider: shown })}</button>
          </form>`,
      )}`,
  };
}

function entry(
  { id, label, name, linkedAt }: Connection,
  { message, date, action, fields }: OwnPageContext<PageKey>,
): Html {
  const shown = isolated(name ?? '');
  return html`<li class="stack">
    <h2>${isolated(label)}</h2>
    ${name !== undefined && html`<p>${shown}</p>`}
    <p class="aside">${message('connectionsSince', { date: isolated(date(linkedAt)) })}</p>
    <form method="post" action="${action}">
      ${hidden({ ...fields, disconnect: id })}
      <button aria-label="${message('connectionsDisconnectName', { provider: label, name: name ?? '' })}">
        ${message('connectionsDisconnect')}
      </button>
    </form>
  </li>`;
}
