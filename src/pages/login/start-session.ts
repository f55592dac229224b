import { LOGOUT } from '../../../lib/internal.js';
import type { User } from '../../../lib/index.js';
import type { SessionStart } from '../sessions/sessions.js';
import { findUserToSignOut, signOut } from '../sessions/sign-out.js';
import type { Site, PageRequest } from '../site.js';

/**
 * Starts a session. If another user is signed in or remembered in this browser, that user is signed out, also at
 * clients.
 * @param more how the user was authenticated. By default by password, now.
 */
export async function startSession(
  site: Site,
  user: User,
  pageRequest: PageRequest,
  more?: SessionStart,
): Promise<void> {
  const { request, response } = pageRequest;
  const start = async () =>
    site.modelSessions
      ? site.modelSessions.start(user, request, response, more)
      : site.sessions.start(user, request, response);
  const before = site.server.find(LOGOUT) && (await findUserToSignOut(site, pageRequest));
  if (before && String(before['id']) !== String(user['id'])) await signOut(site, before, pageRequest, { end: start });
  else await start();
}
