import { hash } from 'node:crypto';
import { type Endpoint, hasListener, reportEvent } from '../../../lib/internal.js';
import {
  definePage,
  type Html,
  html,
  hidden,
  type Login,
  type LoginStep,
  type PageCall,
  problemOf,
} from '../../pages/index.js';
import { type Accounts, accountsOf } from '../accounts.js';
import type { Link } from '../links.js';
import type { AccountMessage, AccountMessages } from '../messages.js';
import type { DeletionOrder } from './deletions.js';

/** The ID of the step of a login in which the user keeps the account. */
const STEP = 'keepAccount';

/** The step of a login to an account that is going to be deleted: only a user who keeps the account signs in. */
export const keepStep = (accountsOfServer: () => Accounts): LoginStep => ({
  id: STEP,
  endpoint: 'keep_account',
  endsElsewhere: true,
  isRequired: async ({ user }) => (await accountsOfServer().deletions!.find(String(user['id']))) !== undefined,
});

/** The user who may keep the account: the owner of a link in an e-mail, or the user of a pending login. */
interface Subject {
  readonly link?: Link | undefined;
  readonly login?: Login;
  readonly order?: DeletionOrder | undefined;
}

interface Data extends Subject {
  /** The account stays. */
  readonly isKept?: boolean;
  /** The account was deleted, or is going to be deleted at this time. Shown after the order. */
  readonly ordered?: 'deleted' | Date;
}

/** The page on which users keep an account that is going to be deleted. A link starts no session. */
export const keepPage = (messages: AccountMessages): Endpoint =>
  definePage<Data, AccountMessage, Subject>({
    path: 'oauth/keep_account',
    messages,
    leavesSite: true,
    problems: { linkExpired: { status: 410 }, keepTooLate: { status: 410 } },
    async subject(call) {
      const { links, deletions } = accountsOf(call);
      const token = call.text('token');
      if (token !== undefined) {
        const link = await links.find(token, ['keep']);
        return { link, order: link?.user && (await deletions!.find(String(link.user['id']))) };
      }
      if (call.request.method !== 'POST' && call.text('ordered') !== undefined) return {};
      const login = await call.findStep(STEP);
      if (!login || !('user' in login)) return login ?? call.back();
      return { login, order: await deletions!.find(String(login.user['id'])) };
    },
    binding: ({ link, login }) =>
      ` to keep the account ${link ? hash('sha256', link.token, 'base64url') : String(login?.user['id'] ?? '')}`,
    get(call, subject) {
      const { deletions } = accountsOf(call);
      if (call.text('token') === undefined && !subject.login)
        return { ordered: deletions!.isImmediate ? 'deleted' : deletions!.due };
      if (!subject.order) call.problemName ??= 'linkExpired';
      return subject;
    },
    async post(call, subject) {
      const { deletions } = accountsOf(call);
      const { order, link } = subject;
      if (!order) return call.problem('linkExpired');
      if (!(await deletions!.cancel(order))) {
        // A parallel request may have kept the account.
        if (await deletions!.find(order.data.userId)) return call.problem('keepTooLate');
      } else report(call, order);
      if (link) return { isKept: true };
      // The login continues, because its step has ended.
      const next = await call.findStep(STEP);
      return next && !('user' in next) ? next : call.back();
    },
    render({ link, login, order, isKept, ordered }, context) {
      const { message, action, fields, problem, date } = context;
      const title = message(ordered === 'deleted' ? 'deletedTitle' : isKept ? 'keepButton' : 'keepTitle');
      return {
        title: problem ? message('problem', { title }) : title,
        main: html`<h1>${title}</h1>
          ${problemOf(context)} ${isKept && note(message('keepDone'))}
          ${ordered === 'deleted' && note(message('deletedText'))}
          ${ordered instanceof Date && note(message('keepRequested', { date: date(ordered) }))}
          ${
            order &&
            (link ?? login) &&
            problem !== 'keepTooLate' &&
            html`<form method="post" action="${action}">
              <p>${message('keepText', { date: html`<b>${date(new Date(order.data.due))}</b>` })}</p>
              ${hidden({ ...fields, ...(link && { token: link.token }) })}
              <button class="primary wide">${message('keepButton')}</button>
            </form>`
          }`,
      };
    },
  });

function report(call: PageCall, { data: { userId } }: DeletionOrder): void {
  const { server, endpoint, request } = call;
  const { events } = server.options;
  if (!hasListener(events, 'account.deletion_cancelled')) return;
  reportEvent(events, 'account.deletion_cancelled', { endpoint, issuer: server.issuerOf(request), userId });
}

const note = (content: Html) => html`<p role="status">${content}</p>`;
