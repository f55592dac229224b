import type { SignOutInitiator } from '../../../lib/internal.js';
import type { Awaitable, User } from '../../../lib/index.js';
import { usersFilter } from '../../tenants/tenant-of.js';
import { reportGrantsEnded, reportUser } from '../page-events.js';
import { findUserToSignOut, signOut } from './sign-out.js';
import type { Site, PageRequest } from '../site.js';
import { loginFlowOf } from '../login/login-flow.js';

/** The model method that revokes all grants of a user, for `signOutEndsGrants`. */
interface GrantsModel {
  revokeGrantsOf(filter: { userId: string | number; issuer?: string }): Awaitable<unknown>;
}

/**
 * Signs a user out in this browser and reports it. With `signOutEndsGrants`, also revokes all grants of the user.
 * @param initiator the client that began the sign-out, with the session in its ID token. By default none.
 * @returns the URLs to open in frames for front-channel logout
 */
export async function endSession(
  site: Site,
  user: User,
  pageRequest: PageRequest,
  initiator?: SignOutInitiator,
): Promise<readonly string[]> {
  const { server, options } = site;
  await loginFlowOf(site).pending.end(pageRequest);
  const frames = await signOut(site, user, pageRequest, { initiator });
  const model = server.options.model as object as GrantsModel;
  const userId = user['id'] as string;
  const ended = options.signOutEndsGrants && (await model.revokeGrantsOf({ userId, ...usersFilter(server) })) !== 0;
  reportUser(server, 'user.signed_out', { user, pageRequest });
  if (ended) reportGrantsEnded(server, { user, pageRequest });
  return frames;
}

/**
 * Signs out the user who is signed in or remembered in this browser. Removes the cookies even if there is no user.
 * @returns the URLs to open in frames for front-channel logout
 */
export async function endSessionHere(
  site: Site,
  pageRequest: PageRequest,
  initiator?: SignOutInitiator,
): Promise<readonly string[]> {
  const user = await findUserToSignOut(site, pageRequest);
  if (user) return endSession(site, user, pageRequest, initiator);
  await loginFlowOf(site).pending.end(pageRequest);
  await site.sessions.end(pageRequest.request, pageRequest.response);
  return [];
}
