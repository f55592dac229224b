import { InvalidArgumentError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { LOGOUT, type SignedOut } from './logout-capability.js';

/**
 * Notifies the clients at which a user has signed in that a session has ended. Without `sid`, all sessions of the user
 * have ended. Use it if the application manages sessions itself and returns their `sid` from `howSignedIn()`. It does
 * not wait for clients, and does not reject if a client cannot be notified. OpenID Connect Back-Channel Logout §2.5
 * @param server The `OAuth2Server`.
 * @throws {InvalidArgumentError} If `userId` is missing, or the server has no feature `logout()`.
 */
export async function signOutAtClients(
  server: { readonly context: ServerContext },
  { userId, sid }: { userId: string | number; sid?: string },
): Promise<SignedOut> {
  const logout = server.context.find(LOGOUT);
  if (!logout) throw new InvalidArgumentError('Invalid argument: `logout()` is not among the `features` of the server');
  // Without a user ID, all users would be signed out.
  if ((typeof userId !== 'string' && typeof userId !== 'number') || userId === '') {
    throw new InvalidArgumentError('Invalid argument: `userId` must have a value');
  }
  return await logout.signOut({ userId: String(userId), ...(sid !== undefined && { sid }) });
}
