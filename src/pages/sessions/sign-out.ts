import { LOGOUT, type SignOutInitiator } from '../../../lib/internal.js';
import type { Awaitable, RememberedSession, User } from '../../../lib/index.js';
import type { Site, PageRequest } from '../site.js';

/**
 * Returns the user to sign out in this browser: the signed-in user or, after the session has expired, the remembered
 * user.
 */
export async function findUserToSignOut(site: Site, pageRequest: PageRequest): Promise<User | undefined> {
  return (await site.findUser(pageRequest.request)) || (await findRemembered(site, pageRequest))?.user;
}

/** How a session is ended, and by which client. */
interface HowSignedOut {
  end?: () => Awaitable<unknown>;
  initiator?: SignOutInitiator | undefined;
}

/**
 * Ends the session of a browser, and notifies the clients at which the user has signed in.
 * @param user the result of `findUserToSignOut()`
 * @param how.end ends the session. By default no user is signed in afterwards.
 * @param how.initiator the client that began the sign-out, with the session in its ID token. By default none.
 * @returns the URLs to open in frames for front-channel logout
 */
export async function signOut(
  site: Site,
  user: User,
  pageRequest: PageRequest,
  { end = () => site.sessions.end(pageRequest.request, pageRequest.response), initiator }: HowSignedOut = {},
): Promise<readonly string[]> {
  const { server } = site;
  const logout = server.find(LOGOUT);
  const sid = logout && (await sidOf(site, user, pageRequest));
  await end();
  if (!logout || sid === undefined) return [];
  const { frames } = await logout.signOut({ userId: String(user['id']), sid }, initiator);
  return frames;
}

/** Returns the session id (`sid`) that clients know. */
async function sidOf(site: Site, user: User, pageRequest: PageRequest): Promise<string | undefined> {
  const { sid } = (await site.sessions.howSignedIn?.(user, pageRequest.request)) || {};
  return sid ?? (await findRemembered(site, pageRequest))?.sid;
}

async function findRemembered(
  { modelSessions }: Site,
  pageRequest: PageRequest,
): Promise<RememberedSession | undefined> {
  const state = await modelSessions?.remembered?.find(pageRequest);
  return state && 'session' in state ? state.session : undefined;
}
