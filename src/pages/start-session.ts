import type { User } from '../../lib/index.js';
import { findLogout } from '../../lib/openid/logout/logout-feature.js';
import type { Start } from './sessions.js';
import { signOut } from './sign-out.js';
import type { Site, Visit } from './site.js';

/**
 * Somebody has proven who they are. Whoever was signed in here before, and is somebody else, is signed out at clients too.
 * @param more what of proof it was, where that was more than a password
 */
export async function startSession(site: Site, user: User, visit: Visit, more?: Start): Promise<void> {
  const { request, response } = visit;
  const start = async () =>
    site.own ? site.own.start(user, request, response, more) : site.sessions.start(user, request, response);
  const before = findLogout(site.server) && (await site.findUser(request));
  if (before && String(before['id']) !== String(user['id'])) await signOut(site, before, visit, start);
  else await start();
}
