import { hash } from 'node:crypto';
import type { ServerContext } from '../../../lib/index.js';
import { hidden, html, type LoginMethod } from '../../pages/index.js';
import { pathOf } from '../../pages/local-path.js';
import { SITE } from '../../pages/site.js';
import { ACCOUNTS, BROWSER_BINDING } from '../accounts.js';
import type { AccountMessages } from '../messages.js';
import { passkeyBox } from './passkey-box.js';

/** The method of login by a passkey alone: a button, and passkeys in the input of the user name. */
export const passkeyLogin = (serverOf: () => ServerContext, messages: AccountMessages): LoginMethod => ({
  id: 'passkey',
  show({ request, response, loginPath, preferences }) {
    const server = serverOf();
    const site = server.find(SITE)!;
    const { passkeys } = server.find(ACCOUNTS)!;
    const { message } = site.renderer.contextFor(preferences, messages);
    const action = pathOf(server, 'passkey', { request });
    const token = site.fields({ request, response }, {}, BROWSER_BINDING)['csrf_token']!;
    const browser = hash('sha256', token, 'base64url');
    const { challenge, sealed } = passkeys!.challenges.create({ use: 'login', browser });
    const label = message('passkeySignIn');
    return {
      label,
      action,
      script: pathOf(server, 'passkey_script', { request }),
      autofill: 'webauthn',
      main: html`<form method="post" action="${action}">
        ${hidden({
          ...site.fields({ request, response }),
          return_to: loginPath,
          challenge: sealed,
          response: '',
        })}
        ${passkeyBox(
          { challenge, rpId: passkeys!.rpId, ids: [], userVerification: 'required', autofill: true },
          html`<button class="wide">${label}</button>`,
          message('passkeyWrong'),
        )}
      </form>`,
    };
  },
});
