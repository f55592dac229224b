import { InvalidArgumentError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { findLogout, type SignedOut } from './logout-feature.js';

/**
 * Tells the clients at which a user has signed in that a session is over, or, without `sid`, that all of them are: for hosts that keep
 * sessions of their own, whose `howSignedIn()` names them. It waits for no client, and no failure of one is thrown. OpenID Connect
 * Back-Channel Logout §2.5
 * @throws InvalidArgumentError where nobody is named, or the server has no feature `logout()`
 */
export async function signOutAtClients(
  server: ServerContext | { readonly facts: ServerContext },
  { userId, sid }: { userId: string | number; sid?: string },
): Promise<SignedOut> {
  const facts = 'facts' in server ? server.facts : server;
  const feature = findLogout(facts);
  if (!feature) throw new InvalidArgumentError('Invalid argument: the server lists no `logout()` among its `features`');
  // Without an id all users would be meant.
  if ((typeof userId !== 'string' && typeof userId !== 'number') || userId === '') {
    throw new InvalidArgumentError('Invalid argument: `userId` must have a value');
  }
  return await feature.signOut(facts, { userId: String(userId), ...(sid !== undefined && { sid }) });
}
