import type { User } from '../../../lib/index.js';
import type { PageAnswer, PageCall } from '../../pages/index.js';
import { SecondFactorLogin } from '../../pages/second-factor/login.js';
import { requireSecondFactor } from '../../pages/second-factor/require.js';
import { type Accounts, accountsOf } from '../accounts.js';
import { emailOf } from '../email.js';
import { languageOf } from '../request-page.js';
import { reportCredential } from './factor-events.js';

/** Maximum number of seconds since the login of a user who changes how the account is protected. */
export const FRESH = 600;

/**
 * Requires a fresh login and, if the account has a second factor, one that has used it. Otherwise a person with a
 * stolen password, or with an old session, could add a factor or remove one.
 * @returns the answer if the session is not sufficient. `undefined` if it is.
 */
export async function requireOwner(call: PageCall): Promise<PageAnswer | undefined> {
  if (!(await call.findUser(FRESH))) return call.login(call.path(), { reauthenticate: true });
  return requireSecondFactor(call);
}

/** Marks the session of this browser as one with two factors, and ends the others, which had one. */
export async function strengthenSession(call: PageCall, user: User): Promise<void> {
  const session = await call.site.modelSessions!.findSession(call.request);
  await accountsOf(call).endSessions(user, call, true);
  if (session) await SecondFactorLogin.of(call.site)!.complete({ user, session }, call);
}

/** Reports a change of the factors by the signed-in user: as an event, and to the address of the account. */
export async function reportChange(
  call: PageCall,
  name: 'credential.added' | 'credential.removed',
  credential: 'totp' | 'recovery_code' | 'passkey',
): Promise<void> {
  const { server, endpoint, request, user } = call;
  reportCredential(server, name, { credential, by: 'user', userId: String(user['id']), endpoint, request });
  await informOwner(accountsOf(call), user, { language: languageOf(call), network: call.network });
}

/** Sends an e-mail about a change of the factors to the address of the account. */
export async function informOwner(
  accounts: Accounts,
  user: User,
  { language, network }: { language: string; network?: string | undefined },
): Promise<void> {
  const email = emailOf(user);
  if (email === undefined) return;
  await accounts.mails.order({ about: 'factors', email, userId: String(user['id']), language }, network);
}
