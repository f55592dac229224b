import type { Endpoint } from '../../../lib/internal.js';
import { definePage, hidden, html, type Html, problemOf } from '../../pages/index.js';
import { accountsOf, browserOf } from '../accounts.js';
import { emailOf } from '../email.js';
import type { AccountMessage, AccountMessages } from '../messages.js';
import { FRESH, reportChange, requireOwner, strengthenSession } from './owner.js';
import { recoveryView } from './recovery-view.js';
import { qrCode, totpUri } from './totp.js';

/** The data of the page: a new secret, or the recovery codes once the app is set up. */
type Data =
  | { readonly secret: string; readonly sealed: string; readonly uri: string; readonly picture: (label: Html) => Html }
  | { readonly codes: readonly string[]; readonly account: string };

/** The page to set up an authenticator app. The app is enrolled once it has proved the secret by a code. */
export const authenticatorPage = (messages: AccountMessages): Endpoint =>
  definePage<Data, AccountMessage>({
    path: 'oauth/authenticator',
    messages,
    signedIn: { maxAge: FRESH },
    throttle: { account: { requests: 20, per: 600 } },
    subject: requireOwner,
    binding: (_, { user }) => ` of the authenticator app of ${String(user['id'])}`,
    async get(call) {
      const { user } = call;
      const { authenticator, siteName } = accountsOf(call);
      if (await authenticator!.isEnrolled(user)) return call.redirect(call.pathOf('account'));
      const browser = browserOf(call);
      const { secret, sealed } =
        authenticator!.read(user, browser, call.text('secret')) ?? (await authenticator!.begin(user, browser));
      const uri = await totpUri(secret, { issuer: siteName, label: emailOf(user) ?? String(user['id']) });
      return { secret, sealed, uri, picture: await qrCode(uri) };
    },
    async post(call) {
      const { user } = call;
      const { authenticator } = accountsOf(call);
      const enrolment = authenticator!.read(user, browserOf(call), call.text('secret'));
      if (!enrolment) return call.problem('formExpired');
      const code = call.text('code')?.slice(0, 100).replaceAll(/\s/g, '') ?? '';
      const codes = await authenticator!.enrol(user, enrolment, code);
      if (!codes) return call.problem('codeWrong');
      await strengthenSession(call, user);
      await reportChange(call, 'credential.added', 'totp');
      return { codes, account: call.pathOf('account') };
    },
    render(data, context) {
      const { message, action, fields, problem } = context;
      const title = message('codes' in data ? 'recoveryTitle' : 'appTitle');
      if ('codes' in data)
        return {
          title,
          main: html`<h1>${title}</h1>
            ${recoveryView(data.codes, message)}
            <p><a class="button primary wide" href="${data.account}">${message('recoveryDone')}</a></p>`,
        };
      const { secret, sealed, uri, picture } = data;
      return {
        title: problem ? message('problem', { title }) : title,
        main: html`<h1>${title}</h1>
          ${problemOf(context)}
          <p>${message('appScan')}</p>
          ${picture(message('appPicture'))}
          <p>${message('appKey', { key: html`<code>${secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>` })}</p>
          <p class="aside"><a href="${uri}">${message('appOpen')}</a></p>
          <form method="post" action="${action}">
            ${hidden({ ...fields, secret: sealed })}
            <label for="code">${message('appCode')}</label>
            <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required />
            <button class="primary wide">${message('continue')}</button>
          </form>`,
      };
    },
  });
