import { notifySessionEnded } from '../../../lib/internal.js';
import type { RememberedSession } from '../../../lib/index.js';
import { withQuery } from '../local-path.js';
import { reportUser, reportUserRefused } from '../page-events.js';
import { type Site, textOf, type PageRequest } from '../site.js';
import { loginFlowOf } from './login-flow.js';

/** The query parameter of a login page that was loaded again after a parallel request. */
const AGAIN = 'again';

/**
 * Continues the session of a remembered browser without a password. The session keeps the time, `acr` and `amr` of the
 * login, so that a client that requests a new or stronger login still gets one.
 * @returns the path to redirect to. `undefined` if the user must sign in.
 */
export async function continueSession(
  site: Site,
  pageRequest: PageRequest,
  { here, next }: { here: string; next: string },
): Promise<string | undefined> {
  const { modelSessions, server } = site;
  const remembered = await modelSessions?.remembered?.find(pageRequest);
  if (!modelSessions?.remembered || !remembered || remembered.state === 'none') return undefined;
  if (remembered.state === 'replayed') {
    await endReplayedSession(site, remembered.session, pageRequest);
    return undefined;
  }
  if (remembered.state === 'current') {
    const { session } = remembered;
    const { user, authTime, acr, amr } = session;
    const login = { user, authTime, acr, amr, remember: true };
    const step = await loginFlowOf(site).next(login, pageRequest);
    if (step) return (await loginFlowOf(site).begin(step, login, pageRequest)).path;
    if (await modelSessions.continueRemembered(session, pageRequest)) {
      reportUser(server, 'user.signed_in', { user: session.user, pageRequest });
      return next;
    }
  }
  // A parallel request has replaced the token, so the browser should have new cookies by now. If not, the user enters
  // the password.
  return textOf(pageRequest.request, AGAIN) === undefined ? withQuery(here, { [AGAIN]: '1' }) : undefined;
}

/**
 * Handles the replay of a replaced token, which shows that a copy was stolen: ends the session in both browsers, and
 * signs the user out at clients.
 */
async function endReplayedSession(
  site: Site,
  { user, sid }: RememberedSession,
  pageRequest: PageRequest,
): Promise<void> {
  const { server } = site;
  await site.modelSessions!.remembered!.end(pageRequest);
  await notifySessionEnded(server, { userId: String(user['id']), sid });
  reportUserRefused(server, {
    reason: 'cookie of a remembered login was used again after it was replaced: a copy may have been stolen',
    status: 200,
    pageRequest,
  });
}
