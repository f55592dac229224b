import { SITE } from '../../pages/site.js';
import { Request } from '../../../lib/index.js';
import { withContext } from '../../module/oauth2-context.js';
import { UserSessions } from '../../pages/sessions/user-sessions.js';
import type { Accounts } from '../accounts.js';
import { reportCredential } from './factor-events.js';
import { informOwner } from './owner.js';

/** The request in whose place an operator acts, since no browser has sent one. */
const REQUEST = new Request({ headers: {}, method: 'POST', query: {}, body: {} });

/**
 * Removes the second factors of a user on behalf of an operator.
 * @returns the kinds of credentials that were removed. `undefined` if the user does not exist.
 */
export async function resetFactors(accounts: Accounts, userId: string): Promise<readonly string[] | undefined> {
  const { server, users, authenticator, passkeys } = accounts;
  // The users of the application may read the tenant of the current request.
  return withContext(server, REQUEST, async () => {
    const user = (await users.findById(userId)) || undefined;
    if (!user) return undefined;
    const removed = [
      ...((await authenticator?.remove(userId)) ? (['totp'] as const) : []),
      ...((await passkeys?.removeAll(user)) ? (['passkey'] as const) : []),
    ];
    await new UserSessions(server).endOthers(user, undefined);
    for (const credential of removed) {
      reportCredential(server, 'credential.removed', { credential, by: 'operator', userId, endpoint: 'accounts' });
    }
    if (removed.length > 0)
      await informOwner(accounts, user, { language: accounts.server.find(SITE)!.renderer.languageOf({}) });
    return removed;
  });
}
