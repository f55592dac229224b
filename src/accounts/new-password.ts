import { type StoredCredential, TemporarilyUnavailableError, type User } from '../../lib/index.js';
import { html, type Html, type PageCall, type PageProblem } from '../pages/index.js';
import { type Accounts, hashNetworkOf } from './accounts.js';
import type { AccountMessage } from './messages.js';
import { findPasswordProblem } from './password-policy.js';

type Call = PageCall<AccountMessage | 'busy'>;

/**
 * Reads a new password from a form, and hashes it. Networks take turns, because one link can order many hashes.
 * @returns the hash, or why the password is not accepted
 */
export async function hashNewPassword(
  call: Call,
  { rules, siteName, passwords }: Accounts,
  personal: readonly (string | undefined)[],
): Promise<string | PageProblem> {
  const password = call.text('new_password') ?? '';
  const problem = await findPasswordProblem(password, rules, [...personal, siteName]);
  if (problem) return call.problem(problem);
  try {
    return await passwords.hash(password, hashNetworkOf(call));
  } catch (error) {
    if (!(error instanceof TemporarilyUnavailableError)) throw error;
    call.response.set('retry-after', String(Math.ceil(error.retryAfter ?? 5)));
    return call.problem('busy');
  }
}

/**
 * Saves a new password, and ends the sessions that the old one has started. Removes the access of applications if the
 * form asks for it.
 * @returns `false` if the password has changed since `from` was found
 */
export async function savePassword(
  call: PageCall,
  accounts: Accounts,
  {
    user,
    from,
    hashed,
    keepsHere,
  }: { user: User; from: StoredCredential | undefined; hashed: string; keepsHere: boolean },
): Promise<boolean> {
  if (!(await accounts.passwords.replace(user, from, hashed))) return false;
  await accounts.endSessions(user, call, keepsHere);
  if (call.text('end_access') === '1') await accounts.endAccess(user);
  return true;
}

/** Renders the address for password managers, which ignore inputs of the type `hidden`. Users do not see it. */
export const usernameField = (email: string | undefined): Html =>
  html`<input name="username" value="${email}" autocomplete="username" readonly hidden />`;

/** Renders the fields for a new password. */
export function newPasswordFields(
  message: (key: AccountMessage, values?: Readonly<Record<string, unknown>>) => Html,
  minLength: number,
  endsAccess: boolean,
): Html {
  return html`<label for="new_password">${message('newPassword')}</label>
    <input
      id="new_password"
      name="new_password"
      type="password"
      autocomplete="new-password"
      minlength="${minLength}"
      maxlength="1000"
      aria-describedby="password_rule"
      required
    />
    <p class="aside" id="password_rule">${message('passwordRule', { count: minLength })}</p>
    ${
      endsAccess &&
      html`<label class="check"> <input type="checkbox" name="end_access" value="1" /> ${message('endAccess')} </label>`
    }`;
}
