import type { Page, SecondFactorPageContext } from '../render/contexts.js';
import { type Html, html } from '../render/html.js';
import { FOCUSED, hidden, INVALID, problemNotice } from './fields.js';

/** Renders the page for a code: of an authenticator app, sent to the user, or a recovery code. */
export function secondFactor(context: SecondFactorPageContext): Page {
  const { message, nameOf, action, fields, user, codes, passkey, recovery, accounts, problem } = context;
  const title = message('codeTitle');
  return {
    title: problem ? message('problem', { title }) : title,
    main: html`<h1>${title}</h1>
      ${problemNotice(message, problem)}
      <p>${message(INTRODUCED[codes])}</p>
      ${codes !== 'unsent' && codeForm(context)}
      ${
        (codes === 'sent' || codes === 'unsent') &&
        html`<form method="post" action="${action}">
          ${hidden(fields)}
          <button class="wide ${codes === 'unsent' && 'primary'}" name="send" value="1">
            ${message(codes === 'sent' ? 'codeSendAgain' : 'codeSend')}
          </button>
        </form>`
      }
      ${passkey !== undefined && html`<p><a href="${passkey}">${message('codeUsePasskey')}</a></p>`}
      ${recovery !== undefined && html`<p><a href="${recovery}">${message('codeUseRecovery')}</a></p>`}
      <p class="aside">
        ${message('signingInAs', { user: html`<b>${nameOf(user)}</b>` })}
        <a href="${accounts}">${message('otherAccount')}</a>
      </p>`,
  };
}

const INTRODUCED = {
  app: 'codeOfApp',
  sent: 'codeWasSent',
  unsent: 'codeToSend',
  recovery: 'codeOfRecovery',
} as const;

/**
 * Renders the form for a code. The input requests a numeric keyboard, except for recovery codes, which may contain
 * letters.
 */
function codeForm({ message, action, fields, codes, problem }: SecondFactorPageContext): Html {
  const isRecovery = codes === 'recovery';
  return html`<form method="post" action="${action}">
    ${hidden(fields)}
    <label for="code">${message(isRecovery ? 'codeRecovery' : 'code')}</label>
    <input
      id="code"
      name="code"
      ${isRecovery ? html`autocomplete="off"` : html`autocomplete="one-time-code" inputmode="numeric"`}
      autocapitalize="none"
      spellcheck="false"
      maxlength="100"
      required
      ${problem === 'codeWrong' && INVALID}
      ${FOCUSED}
    />
    <button class="primary wide">${message('continue')}</button>
  </form>`;
}
