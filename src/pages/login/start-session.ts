import { LOGOUT } from '../../../lib/internal.js';
import type { User } from '../../../lib/index.js';
import { isSameUser } from '../../interaction/same-user.js';
import type { SessionStart } from '../sessions/sessions.js';
import { findUserToSignOut, signOut } from '../sessions/sign-out.js';
import type { Site, PageRequest } from '../site.js';

/**
 * Starts a session. If another user is signed in or remembered in this browser, that user is signed out, also at
 * clients.
 * @param more how the user was authenticated. By default by password, now.
 * @returns `false` if the proof of the login is no longer valid. No session was started then.
 */
export async function startSession(
  site: Site,
  user: User,
  pageRequest: PageRequest,
  more?: SessionStart,
): Promise<boolean> {
  const { request, response } = pageRequest;
  let isStarted = true;
  const start = async () => {
    if (site.modelSessions) isStarted = await site.modelSessions.start(user, request, response, more);
    else await site.sessions.start(user, request, response);
  };
  const before = site.server.find(LOGOUT) && (await findUserToSignOut(site, pageRequest));
  if (before && !isSameUser(before, user)) await signOut(site, before, pageRequest, { end: start });
  else await start();
  return isStarted;
}
