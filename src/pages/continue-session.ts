import { LOGOUT } from '../../lib/adapter/index.js';
import type { RememberedSession } from '../../lib/index.js';
import { withQuery } from './local-path.js';
import { reportUser, reportUserRefused } from './page-events.js';
import { secondFactorPath } from './second-factor/page.js';
import { SecondFactorLogin } from './second-factor/login.js';
import { type Site, textOf, type PageRequest } from './site.js';

/** The query parameter of a login page that was loaded again after a parallel request. */
const AGAIN = 'again';

/**
 * Continues the session of a remembered browser without a password. The session keeps the time, `acr` and `amr` of the
 * login, so that a client that requests a new or stronger login still gets one.
 * @returns the path to redirect to. `undefined` if the user must sign in.
 */
export async function continueSession(
  site: Site,
  visit: PageRequest,
  { here, next }: { here: string; next: string },
): Promise<string | undefined> {
  const { modelSessions: own, server } = site;
  const found = await own?.remembered?.find(visit);
  if (!own?.remembered || !found || found.state === 'none') return undefined;
  if (found.state === 'replayed') {
    await endStolen(site, found.session, visit);
    return undefined;
  }
  if (found.state === 'current') {
    const { session } = found;
    const step = SecondFactorLogin.of(site);
    if (step && (await step.policy.isRequired(session.user, visit, session))) {
      const isSent = await step.beginEvenIfNotSent(session.user, visit, { ...session, remember: true });
      return secondFactorPath(site, visit, isSent ? { sent: '' } : {});
    }
    if (await own.continueRemembered(session, visit)) {
      reportUser(server, 'user.signed_in', { user: session.user, visit });
      return next;
    }
  }
  // A parallel request has replaced the token, so the browser should have new cookies by now. If not, the user enters
  // the password.
  return textOf(visit.request, AGAIN) === undefined ? withQuery(here, { [AGAIN]: '1' }) : undefined;
}

/**
 * Handles the replay of a replaced token, which shows that a copy was stolen: ends the session in both browsers, and
 * signs the user out at clients.
 */
async function endStolen(site: Site, { user, sid }: RememberedSession, visit: PageRequest): Promise<void> {
  const { server } = site;
  await site.modelSessions!.remembered!.end(visit);
  if (sid !== undefined) await server.find(LOGOUT)?.signOut({ userId: String(user['id']), sid });
  reportUserRefused(server, {
    reason: 'cookie of a remembered login was used again after it was replaced: a copy may have been stolen',
    status: 200,
    visit,
  });
}
