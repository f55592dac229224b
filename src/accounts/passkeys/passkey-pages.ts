import type { Endpoint } from '../../../lib/internal.js';
import type { User } from '../../../lib/index.js';
import {
  definePage,
  type ENGLISH,
  hidden,
  html,
  type OwnPageContext,
  type Page,
  type PageAnswer,
  type PageCall,
  problemOf,
} from '../../pages/index.js';
import { reportUser } from '../../pages/page-events.js';
import { SECOND_FACTOR_STEP } from '../../pages/login/steps.js';
import { type PendingUser, SecondFactorLogin } from '../../pages/second-factor/login.js';
import { accountsOf, browserOf } from '../accounts.js';
import type { AccountMessage, AccountMessages } from '../messages.js';
import type { ChallengePurpose } from './challenges.js';
import { passkeyBox, type PasskeyOptions } from './passkey-box.js';

interface Data {
  readonly options: PasskeyOptions;
  readonly sealed: string;
  readonly script: string;
  /** The path of the page with other ways to sign in. */
  readonly other: string;
}

const WRONG = { status: 401, reason: 'passkey is unknown or invalid, or its challenge was used before' };

/** The parts that both pages have in common. */
const passkeyPage = {
  problems: { passkeyWrong: WRONG },
  throttle: { network: { requests: 300, per: 600 } },
  leavesSite: true,
  scripts: ({ script }: Data) => [script],
  render,
};

/** The page that signs a user in by a passkey alone. The login page has its form too. */
export const passkeyLoginPage = (messages: AccountMessages): Endpoint =>
  definePage<Data, AccountMessage>({
    ...passkeyPage,
    path: 'oauth/passkey',
    messages,
    get: (call) => dataOf(call, { use: 'login', browser: browserOf(call) }, [], call.returnTo ?? call.pathOf('login')),
    async post(call) {
      const { passkeys, users } = accountsOf(call);
      const challenge = await passkeys!.challenges.consume(call.text('challenge'), {
        use: 'login',
        browser: browserOf(call),
      });
      const used = challenge === undefined ? undefined : await passkeys!.use(call.text('response'), challenge);
      const user = used && (await users.findById(used.userId));
      if (!used || !user) return call.problem('passkeyWrong');
      // A passkey that has verified the user is two factors: the device, and what unlocks it.
      const acr = SecondFactorLogin.of(call.site)!.options.acr ?? call.site.options.signIn?.acr;
      return call.finishLogin({
        user,
        acr,
        amr: [...used.amr, 'mfa'],
        returnTo: call.returnTo,
        isCurrent: used.isCurrent,
      });
    },
  });

/** The page on which a user proves a passkey after the password, or to strengthen a session. */
export const passkeyFactorPage = (messages: AccountMessages): Endpoint =>
  definePage<Data, AccountMessage, PendingUser>({
    ...passkeyPage,
    path: 'oauth/second_factor/passkey',
    messages,
    subject: findPendingUser,
    binding: ({ user }) => ` of the passkey of ${String(user['id'])}`,
    async get(call, { user }) {
      const ids = (await accountsOf(call).passkeys!.list(user)).map(({ id }) => id);
      const isEnrolled = await SecondFactorLogin.of(call.site)!.policy.isEnrolled(user);
      const other = isEnrolled ? call.pathOf('second_factor', { return_to: call.returnTo }) : call.pathOf('login');
      return dataOf(call, purposeOf(call, user), ids, other);
    },
    async post(call, pending) {
      const { passkeys } = accountsOf(call);
      const { user } = pending;
      const challenge = await passkeys!.challenges.consume(call.text('challenge'), purposeOf(call, user));
      const used = challenge === undefined ? undefined : await passkeys!.use(call.text('response'), challenge, user);
      if (!used) return call.problem('passkeyWrong');
      const completed = await SecondFactorLogin.of(call.site)!.complete(pending, call, used.amr);
      if (!completed) return call.login(call.returnTo ?? call.site.options.home);
      if (pending.session) {
        reportUser(call.server, 'user.signed_in', { user, pageRequest: call, endpoint: call.endpoint });
      }
      return completed.path === undefined ? call.back() : call.redirect(completed.path);
    },
  });

/** Returns the user who may prove a passkey in this browser, or where to go instead. */
async function findPendingUser(call: PageCall<never>): Promise<PendingUser | PageAnswer> {
  const secondFactor = SecondFactorLogin.of(call.site)!;
  return (await call.findStep(SECOND_FACTOR_STEP)) ?? (await secondFactor.findSession(call)) ?? call.back();
}

const purposeOf = (call: PageCall, user: User): ChallengePurpose => ({
  use: 'factor',
  browser: browserOf(call),
  userId: String(user['id']),
});

/** Returns the data of a page with a new challenge. */
function dataOf(call: PageCall, purpose: ChallengePurpose, ids: readonly string[], other: string): Data {
  const passkeys = accountsOf(call).passkeys!;
  const { challenge, sealed } = passkeys.challenges.create(purpose);
  const userVerification = purpose.use === 'login' ? 'required' : 'preferred';
  const options = { challenge, rpId: passkeys.rpId, ids, userVerification } as const;
  return { options, sealed, other, script: call.pathOf('passkey_script') };
}

function render(
  { options, sealed, other }: Data,
  context: OwnPageContext<AccountMessage | keyof typeof ENGLISH>,
): Page {
  const { message, action, fields, problem } = context;
  const title = message('passkeyUse');
  return {
    title: problem ? message('problem', { title }) : title,
    main: html`<h1>${title}</h1>
      ${problemOf(context)}
      <form method="post" action="${action}">
        ${hidden({ ...fields, challenge: sealed, response: '' })}
        ${passkeyBox(options, html`<button class="primary wide">${title}</button>`, message('passkeyWrong'))}
      </form>
      <p class="aside"><a href="${other}">${message('passkeyOther')}</a></p>`,
  };
}
