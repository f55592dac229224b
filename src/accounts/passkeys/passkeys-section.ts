import { PageRedirect } from '../../pages/toolkit/answers.js';
import { type AccountSection, defineSection, html, type Html, type PageCall } from '../../pages/index.js';
import { isolated } from '../../pages/render/html.js';
import { SecondFactorLogin } from '../../pages/second-factor/login.js';
import { accountsOf, browserOf } from '../accounts.js';
import { emailOf, nameOf } from '../email.js';
import { FRESH, reportChange, requireOwner } from '../factors/owner.js';
import type { AccountMessage, AccountMessages } from '../messages.js';
import type { ChallengePurpose } from './challenges.js';
import { passkeyBox, type PasskeyOptions } from './passkey-box.js';
import type { PasskeyData } from './webauthn.js';

/** Maximum length of the name of a passkey. */
const MAX_NAME = 60;

interface Data {
  readonly passkeys: readonly PasskeyData[];
  /** The path of the page on which the user proves the second factor first. */
  readonly confirm?: string;
  readonly options: PasskeyOptions;
  readonly sealed: string;
}

type Call = PageCall<AccountMessage>;

const purposeOf = (call: PageCall): ChallengePurpose => ({
  use: 'add',
  browser: browserOf(call),
  userId: String(call.user['id']),
});

/** The section to add passkeys, and to rename or remove them. */
export const passkeysSection = (messages: AccountMessages): AccountSection =>
  defineSection<Data, AccountMessage>({
    id: 'passkeys',
    order: 28,
    messages,
    title: 'passkeySection',
    maxAge: FRESH,
    get: dataOf,
    forms: {
      add: { done: 'passkeyAdded', post: addPasskey },
      rename: {
        done: 'passkeyRenamed',
        async post(call) {
          const name = nameIn(call);
          if (name !== undefined) await accountsOf(call).passkeys!.rename(call.user, call.text('id') ?? '', name);
        },
      },
      remove: {
        done: 'passkeyRemoved',
        async post(call) {
          const refused = await requireOwner(call);
          if (refused) return refused;
          const isRemoved = await accountsOf(call).passkeys!.remove(call.user, call.text('id') ?? '');
          if (isRemoved) await reportChange(call, 'credential.removed', 'passkey');
          return undefined;
        },
      },
    },
    script: (call) => call.pathOf('passkey_script'),
    render: ({ passkeys, confirm, options, sealed }, { message, date, form }) => {
      const nameInput = (id: string, value: string | Html) =>
        html`<label for="${id}">${message('passkeyName')}</label>
          <input id="${id}" name="name" value="${value}" maxlength="${MAX_NAME}" autocomplete="off" required />`;
      const shown = passkeys.map(({ id, name, createdAt, usedAt }, at) => {
        const [added, used] = [isolated(date(new Date(createdAt))), usedAt && isolated(date(new Date(usedAt)))];
        const since = used ? message('passkeyUsed', { date: added, used }) : message('passkeySince', { date: added });
        return html`<li>
          <span>${isolated(html`<b>${name}</b>`)}<br />${since}</span>
          ${form('remove', html`<button aria-label="${message('passkeyRemoveOf', { name })}">${message('passkeyRemove')}</button>`, { id })}
          <details>
            <summary aria-label="${message('passkeyRenameOf', { name })}">${message('passkeyRename')}</summary>
            ${form('rename', html`${nameInput(`passkey_${at}`, name)}<button>${message('passkeyRename')}</button>`, { id })}
          </details>
        </li>`;
      });
      const add = html`${nameInput('passkey_new', message('passkeyDefault'))}<button>${message('passkeyAdd')}</button>`;
      return html`<p>${message('passkeyIntro')}</p>
        ${
          shown.length > 0 &&
          html`<ul class="scopes">
            ${shown}
          </ul>`
        }
        ${
          confirm === undefined
            ? form('add', passkeyBox(options, add, message('passkeyWrong')), { challenge: sealed, response: '' })
            : html`<p><a href="${confirm}">${message('passkeyConfirm')}</a></p>`
        }`;
    },
  });

async function dataOf(call: Call): Promise<Data> {
  const { user } = call;
  const { passkeys: stored, siteName } = accountsOf(call);
  const [passkeys, refused] = [await stored!.list(user), await requireOwner(call)];
  const { challenge, sealed } = stored!.challenges.create(purposeOf(call));
  const userId = String(user['id']);
  const name = emailOf(user) ?? userId;
  return {
    passkeys,
    ...(refused instanceof PageRedirect && { confirm: refused.location }),
    options: {
      challenge,
      rpId: stored!.rpId,
      rpName: siteName,
      ids: passkeys.map(({ id }) => id),
      userVerification: 'required',
      user: { id: stored!.handleOf(userId), name, displayName: nameOf(user) ?? name },
    },
    sealed,
  };
}

/** Adds the passkey of the form. The session has then proved two factors: the device, and what unlocks it. */
async function addPasskey(call: Call) {
  const refused = await requireOwner(call);
  if (refused) return refused;
  const { passkeys } = accountsOf(call);
  const { user, site } = call;
  const name = nameIn(call);
  const challenge = await passkeys!.challenges.consume(call.text('challenge'), purposeOf(call));
  const isAdded =
    name !== undefined &&
    challenge !== undefined &&
    (await passkeys!.add(user, call.text('response'), challenge, name));
  if (!isAdded) return call.problem('passkeyWrong');
  const session = await site.modelSessions!.findSession(call.request);
  const secondFactor = SecondFactorLogin.of(site)!;
  if (session && !secondFactor.policy.hadTwoFactors(session)) {
    await secondFactor.complete({ user, session }, call, ['user']);
  }
  await reportChange(call, 'credential.added', 'passkey');
  return undefined;
}

/** Returns the typed name of a passkey. `undefined` if it is empty, too long, or has characters that nobody sees. */
function nameIn(call: PageCall): string | undefined {
  const name = call.text('name')?.trim() ?? '';
  return name !== '' && name.length <= MAX_NAME && !/\p{C}/u.test(name) ? name : undefined;
}
