import { hash } from 'node:crypto';
import { Logger } from '@nestjs/common';

import { hasOnce, type Endpoint, verifyFoundUser } from '../../lib/internal.js';
import type { Awaitable, Falsy, User } from '../../lib/index.js';
import { definePage, hidden, html, type PageCall, problemOf } from '../pages/index.js';
import { type Accounts, accountsOf, browserOf } from './accounts.js';
import { nameOf } from './email.js';
import type { Link, Purpose } from './links.js';
import type { AccountMessage, AccountMessages } from './messages.js';
import { hashNewPassword, newPasswordFields, savePassword, usernameField } from './new-password.js';
import { languageOf } from './request-page.js';

/** Seconds in which only one account is created with an address, or gets it. */
const CREATING = 60;

interface Data {
  /** `undefined` if the link has expired. */
  readonly link: Link | undefined;
  readonly minLength: number;
  /** Whether the link was ordered in another browser. */
  readonly isElsewhere?: boolean;
  readonly isDone?: boolean;
}

/** Whether a link was ordered in another browser than the one of a request. */
const isElsewhere = (call: PageCall, { data }: Link) => data.browser !== browserOf(call);

/** The parts that the pages of links have in common. */
const linkPage = (purposes: readonly Purpose[]) => ({
  subject: async (call: PageCall<never>) => accountsOf(call).links.find(call.text('token'), purposes),
  binding: (link: Link | undefined) => ` of the link ${link ? hash('sha256', link.token, 'base64url') : ''}`,
  get(call: PageCall, link: Link | undefined): Data {
    if (!link) call.problemName = 'linkExpired';
    return { link, minLength: accountsOf(call).rules.minLength };
  },
  problems: { linkExpired: { status: 410 } },
});

const NEW_PASSWORD_LINK = linkPage(['reset', 'signUp']);

/**
 * The page of a link to choose a password: after a sign-up, or because the old one is forgotten. In the browser that
 * ordered the link, the user continues as after a login with the password, so a second factor is still required.
 * Another browser is not signed in: its user may have opened the link of somebody else.
 */
export const newPasswordPage = (messages: AccountMessages): Endpoint =>
  definePage<Data, AccountMessage, Link | undefined>({
    ...NEW_PASSWORD_LINK,
    path: 'oauth/new_password',
    messages,
    leavesSite: true,
    get: (call, link) => ({
      ...NEW_PASSWORD_LINK.get(call, link),
      isElsewhere: link !== undefined && isElsewhere(call, link),
    }),
    async post(call, link) {
      if (!link) return call.problem('linkExpired');
      const accounts = accountsOf(call);
      const { data, stored: from } = link;
      const name = link.user ? nameOf(link.user) : data.name;
      const hashed = await hashNewPassword(call, accounts, [data.email, name]);
      if (typeof hashed !== 'string') return hashed;
      if (!(await accounts.links.consume(link))) return call.problem('linkExpired');
      const user = link.user ?? (await createUser(accounts, link));
      if (!user || !(await savePassword(call, accounts, { user, from, hashed, keepsHere: false })))
        return call.problem('linkExpired');
      if (link.user) await report(call, accounts, user, data.email);
      if (isElsewhere(call, link)) return call.redirect(call.pathOf('login'));
      const { acr, amr = [] } = call.site.options.signIn ?? {};
      const { returnTo } = data;
      return call.finishLogin({ user, acr, amr, ...(returnTo !== undefined && { returnTo }) });
    },
    render({ link, minLength, isElsewhere: isOther }, context) {
      const { message, action, fields, problem } = context;
      const title = message('passwordTitle');
      return {
        title: problem ? message('problem', { title }) : title,
        main: html`<h1>${title}</h1>
          ${problemOf(context)}
          ${
            link &&
            problem !== 'linkExpired' &&
            html`<form method="post" action="${action}">
              <p>${message('passwordFor', { email: html`<b>${link.data.email}</b>` })}</p>
              ${isOther && html`<p>${message('otherBrowser')}</p>`} ${hidden({ ...fields, token: link.token })}
              ${usernameField(link.data.email)} ${newPasswordFields(message, minLength, link.user !== undefined)}
              <button class="primary wide">${message('save')}</button>
            </form>`
          }`,
      };
    },
  });

/** The page of a link that confirms a new address. It signs nobody in, so it may be opened on another device. */
export const confirmEmailPage = (messages: AccountMessages): Endpoint =>
  definePage<Data, AccountMessage, Link | undefined>({
    ...linkPage(['change']),
    path: 'oauth/confirm_email',
    messages,
    async post(call, link) {
      if (!link?.user) return call.problem('linkExpired');
      const accounts = accountsOf(call);
      const { email, from } = link.data;
      const isUsed = await accounts.links.consume(link);
      if (!isUsed || !(await changeEmail(accounts, link.user, email))) return call.problem('linkExpired');
      const order = { about: 'moved', email, userId: String(link.user['id']), language: languageOf(call) } as const;
      if (from !== undefined) await accounts.mails.order({ ...order, to: from }, call.network);
      return { link, minLength: 0, isDone: true };
    },
    render({ link, isDone }, context) {
      const { message, action, fields, problem } = context;
      const title = message('confirmTitle');
      const email = html`<b>${link?.data.email}</b>`;
      return {
        title: problem ? message('problem', { title }) : title,
        main: html`<h1>${title}</h1>
          ${problemOf(context)}
          ${
            isDone
              ? html`<p role="status">${message('confirmed', { email })}</p>`
              : link &&
                problem !== 'linkExpired' &&
                html`<form method="post" action="${action}">
                  <p>${message('confirmText', { email })}</p>
                  ${hidden({ ...fields, token: link.token })}
                  <button class="primary wide">${message('confirm')}</button>
                </form>`
          }`,
      };
    },
  });

/** Sends a message about a new password to the address of the account. */
async function report(call: PageCall, accounts: Accounts, user: User, email: string): Promise<void> {
  const order = { about: 'password', email, userId: String(user['id']), language: languageOf(call) } as const;
  await accounts.mails.order(order, call.network);
}

const logger = new Logger('OAuth2');

/** The address was free a moment ago, so the method has probably no `return`. */
const NOT_CREATED =
  '`create()` of the `users` of `accounts()` returned no user, so a sign-up failed: return the saved user, or a falsy value only ' +
  'if the address is taken';

/** Creates the user of a sign-up. `undefined` if another account has the address by now. */
async function createUser(accounts: Accounts, { data: { email, name } }: Link): Promise<User | undefined> {
  const profile = { email, ...(name !== undefined && { name }) };
  const user = await unlessTaken(accounts, email, async () => {
    const created = verifyFoundUser(await accounts.users.create(profile), 'create');
    if (!created) logger.warn(NOT_CREATED);
    return created;
  });
  if (user) await accounts.deletions?.finishEarlier(user);
  return user;
}

const changeEmail = (accounts: Accounts, user: User, email: string) =>
  unlessTaken(accounts, email, () => accounts.users.update?.(user, { email }));

/** Gives an address to an account. `undefined` if another account has it by now. */
async function unlessTaken(
  { server, users, realm }: Accounts,
  email: string,
  save: () => Awaitable<User | Falsy>,
): Promise<User | undefined> {
  const { model } = server.options;
  const key = JSON.stringify(['account address', realm, email]);
  // No other request may be about to give the address to an account.
  if (hasOnce(model) && !(await model.once(key, CREATING))) return undefined;
  if (await users.findByEmail(email)) return undefined;
  try {
    return (await save()) || undefined;
  } catch (error) {
    // The unique index of the application may have refused the address.
    if (await users.findByEmail(email)) return undefined;
    throw error;
  }
}
