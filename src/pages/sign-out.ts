import type { User } from '../../lib/index.js';
import { findLogout } from '../../lib/openid/logout/logout-feature.js';
import type { Site, Visit } from './site.js';

/**
 * Ends the session of a browser, and tells the clients at which its user has signed in.
 * @param end how it ends; left out: nobody is signed in from then on
 * @returns what has to be opened in the browser
 */
export async function signOut(
  { server, sessions }: Site,
  user: User,
  { request, response }: Visit,
  end = async (): Promise<unknown> => sessions.end(request, response),
): Promise<readonly string[]> {
  const feature = findLogout(server);
  const { sid } = (feature && (await sessions.howSignedIn?.(user, request))) || {};
  await end();
  if (!feature || sid === undefined) return [];
  const { frames } = await feature.signOut(server, { userId: String(user['id']), sid });
  return frames;
}
