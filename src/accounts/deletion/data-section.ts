import { hasListener, reportEvent } from '../../../lib/internal.js';
import {
  type AccountSection,
  defineSection,
  html,
  type PageAnswer,
  type PageCall,
  type PageProblem,
} from '../../pages/index.js';
import { accountsOf } from '../accounts.js';
import { emailOf } from '../email.js';
import { FRESH, requireOwner } from '../factors/owner.js';
import type { AccountMessage, AccountMessages } from '../messages.js';
import { languageOf } from '../request-page.js';
import { exportOf } from './export.js';

interface Data {
  /** When an account is deleted whose user orders it now, or at once. `undefined` if users cannot delete accounts. */
  readonly due: Date | 'now' | undefined;
}

/** The section in which users download their data and delete their account. */
export const dataSection = (messages: AccountMessages): AccountSection =>
  defineSection<Data, AccountMessage>({
    id: 'data',
    order: 90,
    messages,
    title: 'dataSection',
    maxAge: FRESH,
    get(call) {
      const { deletions } = accountsOf(call);
      return { due: deletions && (deletions.isImmediate ? 'now' : deletions.due) };
    },
    forms: {
      export: {
        async post(call) {
          const refused = await requireOwner(call);
          return refused ?? call.download('account.json', await exportOf(accountsOf(call), call.user));
        },
      },
      delete: { post: orderDeletion },
    },
    render: ({ due }, { message, date, form }) =>
      html`<p>${message('exportText')}</p>
        ${form('export', html`<button>${message('exportButton')}</button>`)}
        ${
          due &&
          html`<h3>${message('deleteTitle')}</h3>
            <p>${due === 'now' ? message('deleteNow') : message('deleteLater', { date: date(due) })}</p>
            ${form(
              'delete',
              html`<label class="check">
                  <input type="checkbox" name="confirm" value="1" required /> ${message('deleteConfirm')}
                </label>
                <button>${message('deleteButton')}</button>`,
            )}`
        }`,
  });

/**
 * Stores the order to delete the account of the signed-in user, signs the user out everywhere, and removes the access of
 * applications. A step that fails is repeated when the account is deleted.
 */
async function orderDeletion(call: PageCall<AccountMessage>): Promise<PageAnswer | PageProblem | undefined> {
  const accounts = accountsOf(call);
  const { user, server, endpoint, request } = call;
  const { deletions } = accounts;
  const refused = (await requireOwner(call)) ?? (deletions ? undefined : call.redirect());
  if (refused) return refused;
  if (call.text('confirm') !== '1') return call.problem('deleteUnconfirmed');
  const [email, language, userId] = [emailOf(user), languageOf(call), String(user['id'])];
  const order = await deletions!.add(user, { language, ...(email !== undefined && { email }) });
  const { events } = server.options;
  if (order && hasListener(events, 'account.deletion_requested')) {
    reportEvent(events, 'account.deletion_requested', { endpoint, issuer: server.issuerOf(request), userId });
  }
  if (order && email !== undefined && !deletions!.isImmediate) {
    const due = new Date(order.data.due).toISOString();
    await accounts.mails.order({ about: 'deletion', email, userId, language, due }, call.network);
  }
  // The sessions end first, because a session could give new access to an application.
  await accounts.endSessions(user, call, false);
  await accounts.endAccess(user);
  if (order && deletions!.isImmediate) await deletions!.finish(order);
  return call.redirect(call.pathOf('keep_account', { ordered: '' }));
}
