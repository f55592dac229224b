import type { SessionListModel, User } from '../../../lib/index.js';
import { isSameUser } from '../../interaction/same-user.js';
import type { UserSession } from '../../interaction/session-operations.js';
import { html, isolated } from '../render/html.js';
import { UserSessions } from '../sessions/user-sessions.js';
import type { PageCall } from '../toolkit/page-call.js';
import { defineSection } from './section.js';

/** Maximum number of sessions that the section shows. The button ends all of them. */
const MAX_SHOWN = 50;

const METHODS = ['listSessions', 'endSession', 'endSessions'] as const satisfies readonly (keyof SessionListModel)[];

/** The browsers in which the user is signed in. It is not shown if the model cannot list sessions. */
export const sessionsSection = defineSection<{ sessions: readonly UserSession[] }>({
  id: 'sessions',
  order: 60,
  title: 'sessionsTitle',
  async get(call) {
    const model = call.server.options.model as Partial<SessionListModel>;
    if (!call.site.modelSessions || METHODS.some((method) => typeof model[method] !== 'function')) return undefined;
    const { sessions, current } = await sessionsOf(call, call.user);
    return { sessions: await sessions.list(call.user, current) };
  },
  forms: {
    end: {
      done: 'sessionEnded',
      async post(call) {
        const { sessions } = await sessionsOf(call, call.user);
        await sessions.end(call.user, call.text('id') ?? '');
      },
    },
    endOthers: {
      done: 'sessionEnded',
      async post(call) {
        const { sessions, current } = await sessionsOf(call, call.user);
        await sessions.endOthers(call.user, current);
      },
    },
  },
  render: ({ sessions }, { message, date, form }) =>
    html`<ul class="scopes">
        ${sessions.slice(0, MAX_SHOWN).map(({ id, authTime, isCurrent }) => {
          const since = message('sessionSince', { date: isolated(date(authTime)) });
          const end = html`<button aria-label="${message('sessionEndOf', { date: date(authTime) })}">
            ${message('signOut')}
          </button>`;
          return html`<li>
            <span>${since}</span> ${isCurrent ? html`<b>${message('sessionHere')}</b>` : form('end', end, { id })}
          </li>`;
        })}
      </ul>
      ${sessions.length > 1 && form('endOthers', html`<button>${message('sessionEndOthers')}</button>`)}`,
});

/** Returns the sessions of all users, and that of this browser. */
async function sessionsOf(call: PageCall, user: User) {
  const session = await call.site.modelSessions!.findSession(call.request);
  const current = isSameUser(session?.user, user) ? session : undefined;
  return { sessions: new UserSessions(call.server), current };
}
