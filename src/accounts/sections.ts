import type { StoredCredential, User } from '../../lib/index.js';
import {
  type AccountSection,
  defineSection,
  html,
  type PageAnswer,
  type PageCall,
  type PageProblem,
} from '../pages/index.js';
import { type Accounts, accountsOf } from './accounts.js';
import { emailOf, nameOf, readEmail } from './email.js';
import { requireSecondFactor } from '../pages/second-factor/require.js';
import type { AccountMessage, AccountMessages } from './messages.js';
import { hashNewPassword, newPasswordFields, savePassword, usernameField } from './new-password.js';
import { isPassword } from './password-policy.js';
import { isThrottled, languageOf } from './request-page.js';

type Call = PageCall<AccountMessage>;

/** Maximum number of seconds since the login of a user who has no password to enter. */
const FRESH = 600;

/** Counts attempts with the current password: whoever sends them is signed in. */
const SIGNED_IN = 'account page';

const orderOf = (call: PageCall, email: string) =>
  ({ email, userId: String(call.user['id']), language: languageOf(call) }) as const;

/** The section to change the password. */
export const passwordSection = (messages: AccountMessages): AccountSection =>
  defineSection<Awaited<ReturnType<typeof dataOf>>, AccountMessage>({
    id: 'password',
    order: 20,
    messages,
    title: 'passwordSection',
    get: async (call) => dataOf(call),
    forms: {
      change: {
        done: 'passwordChanged',
        async post(call) {
          const accounts = accountsOf(call);
          const { user } = call;
          const from = await accounts.passwords.storedOf(user);
          const refused = await verifyOwner(call, accounts, from);
          if (refused) return refused;
          const email = emailOf(user);
          const hashed = await hashNewPassword(call, accounts, [email, nameOf(user)]);
          if (typeof hashed !== 'string') return hashed;
          // A password in the column of the application has been moved to the store by its verification.
          const now = from ?? (await accounts.passwords.storedOf(user));
          if (!(await savePassword(call, accounts, { user, from: now, hashed, keepsHere: true })))
            return call.problem('passwordWrong');
          if (email !== undefined)
            await accounts.mails.order({ about: 'password', ...orderOf(call, email) }, call.network);
          return undefined;
        },
      },
    },
    render: ({ hasPassword, minLength, email }, { message, form }) =>
      form(
        'change',
        html`${usernameField(email)} ${hasPassword && currentPassword('current_password', message('currentPassword'))}
          ${newPasswordFields(message, minLength, true)} <button>${message('save')}</button>`,
      ),
  });

/** The section to change the e-mail address: the new one is proved, and the old one is told. */
export const emailSection = (messages: AccountMessages): AccountSection =>
  defineSection<Awaited<ReturnType<typeof dataOf>>, AccountMessage>({
    id: 'email',
    order: 10,
    messages,
    title: 'emailSection',
    async get(call) {
      if (!accountsOf(call).users.update) return undefined;
      return dataOf(call);
    },
    forms: {
      change: {
        done: 'emailSent',
        async post(call) {
          const accounts = accountsOf(call);
          const email = readEmail(call.text('email'));
          if (email === undefined) return call.problem('emailInvalid');
          const refused = await verifyOwner(call, accounts, await accounts.passwords.storedOf(call.user));
          if (refused) return refused;
          if (await isThrottled(call)) return call.problem('throttled');
          // The same response for every address: whether it is taken is decided when the e-mail is sent.
          await accounts.mails.order({ about: 'change', ...orderOf(call, email) }, call.network);
          return undefined;
        },
      },
    },
    render: ({ hasPassword, email }, { message, form }) =>
      html`${email !== undefined && html`<p>${message('emailNow', { email: html`<b>${email}</b>` })}</p>`}
      ${form(
        'change',
        html`<label for="new_email">${message('newEmail')}</label>
          <input id="new_email" name="email" type="email" autocomplete="email" maxlength="254" required />
          ${hasPassword && html`${usernameField(email)} ${currentPassword('password_for_email', message('currentPassword'))}`}
          <button>${message('sendLink')}</button>`,
      )}`,
  });

const currentPassword = (id: string, label: unknown) =>
  html`<label for="${id}">${label}</label>
    <input
      id="${id}"
      name="current_password"
      type="password"
      autocomplete="current-password"
      maxlength="1000"
      required
    />`;

async function dataOf(call: PageCall) {
  const { passwords, rules } = accountsOf(call);
  const hasPassword = await passwords.hasPassword(call.user);
  return { hasPassword, minLength: rules.minLength, email: emailOf(call.user) };
}

/**
 * Verifies that the owner of the account is at the browser: by the second factor of the account, and by the current
 * password or, without one, by a fresh login.
 * @returns what is shown instead, if not
 */
async function verifyOwner(
  call: Call,
  { passwords, users }: Accounts,
  stored: StoredCredential | undefined,
): Promise<PageProblem | PageAnswer | undefined> {
  const user: User = call.user;
  const refused = await requireSecondFactor(call);
  if (refused) return refused;
  if (!stored && !users.verifyPassword) {
    return (await call.findUser(FRESH)) ? undefined : call.login(call.path(), { reauthenticate: true });
  }
  const password = call.text('current_password') ?? '';
  if (!isPassword(password)) return call.problem('passwordWrong');
  const attempt = { account: String(user['id']), username: emailOf(user) ?? '', knownBrowser: SIGNED_IN };
  const result = await call.attempt(attempt, () => passwords.isCorrect(user, password));
  return typeof result === 'object' ? result : result ? undefined : call.problem('passwordWrong');
}
