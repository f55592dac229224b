import { type AccountSection, defineSection, html } from '../../pages/index.js';
import { preferencesOf } from '../../pages/site.js';
import { accountsOf } from '../accounts.js';
import type { AccountMessage, AccountMessages } from '../messages.js';
import { FRESH, reportChange, requireOwner } from './owner.js';
import { recoveryView } from './recovery-view.js';

interface Data {
  /** The number of unused recovery codes. `undefined` if the user has no authenticator app. */
  readonly codesLeft: number | undefined;
  /** The path of the page to set up an app. */
  readonly page: string;
}

/** The section to set up an authenticator app, to remove it, and to replace the recovery codes. */
export const authenticatorSection = (messages: AccountMessages): AccountSection =>
  defineSection<Data, AccountMessage>({
    id: 'authenticator',
    order: 30,
    messages,
    title: 'appSection',
    maxAge: FRESH,
    get: async (call) => ({
      codesLeft: await accountsOf(call).authenticator!.codesLeft(call.user),
      page: call.pathOf('authenticator'),
    }),
    forms: {
      newCodes: {
        async post(call) {
          const refused = await requireOwner(call);
          if (refused) return refused;
          const codes = await accountsOf(call).authenticator!.newCodes(call.user);
          if (!codes) return call.redirect();
          await reportChange(call, 'credential.added', 'recovery_code');
          const { message } = call.site.renderer.contextFor(preferencesOf(call.request), messages);
          return recoveryView(codes, message);
        },
      },
      remove: {
        done: 'appRemoved',
        async post(call) {
          const refused = await requireOwner(call);
          if (refused) return refused;
          const isRemoved = await accountsOf(call).authenticator!.remove(String(call.user['id']));
          if (isRemoved) await reportChange(call, 'credential.removed', 'totp');
          return undefined;
        },
      },
    },
    render: ({ codesLeft, page }, { message, form }) =>
      codesLeft === undefined
        ? html`<p>${message('appNone')}</p>
            <p><a class="button" href="${page}">${message('appAdd')}</a></p>`
        : html`<p>${message('appOn')} ${message('recoveryLeft', { count: codesLeft })}</p>
            ${form('newCodes', html`<button>${message('recoveryNew')}</button>`)}
            ${form('remove', html`<button>${message('appRemove')}</button>`)}`,
  });
