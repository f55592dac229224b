import { LOGOUT } from '../../lib/adapter/index.js';
import type { User } from '../../lib/index.js';
import type { Start } from './sessions.js';
import { findUserToSignOut, signOut } from './sign-out.js';
import type { Site, Visit } from './site.js';

/**
 * Starts a session. Another user who was signed in or remembered in this browser is signed out, at clients too.
 * @param more how the user was authenticated. Default: by a password, now.
 */
export async function startSession(site: Site, user: User, visit: Visit, more?: Start): Promise<void> {
  const { request, response } = visit;
  const start = async () =>
    site.own ? site.own.start(user, request, response, more) : site.sessions.start(user, request, response);
  const before = site.server.find(LOGOUT) && (await findUserToSignOut(site, visit));
  if (before && String(before['id']) !== String(user['id'])) await signOut(site, before, visit, start);
  else await start();
}
