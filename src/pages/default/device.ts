import type { DeviceConsentPageContext, DeviceDonePageContext, DevicePageContext, Page } from '../render/contexts.js';
import { html } from '../render/html.js';
import { requestedAccess, decisionForm } from './requested-access.js';
import { FOCUSED, hidden, INVALID, problemNotice } from './fields.js';

/**
 * Renders the page that asks for the code of a device. A code from the URL is filled in, and the user must compare it.
 * RFC 8628 §3.3.1
 */
export function device({ message, action, fields, userCode, problem }: DevicePageContext): Page {
  const title = message('deviceTitle');
  const isWrong = problem === 'wrongCode';
  const isMissing = userCode === undefined || isWrong;
  return {
    title: problem ? message('problem', { title }) : title,
    main: html`<h1>${title}</h1>
      ${problemNotice(message, problem)}
      <p>${message(isMissing ? 'deviceIntro' : 'deviceConfirm')}</p>
      <form method="post" action="${action}">
        ${hidden(fields)}
        <label for="user_code">${message('deviceCode')}</label>
        <input
          id="user_code"
          name="user_code"
          value="${userCode}"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength="40"
          required
          ${isWrong && INVALID}
          ${isMissing && FOCUSED}
        />
        <button class="primary wide">${message('deviceContinue')}</button>
      </form>
      <p class="aside">${message('deviceSafety')}</p>`,
  };
}

/** Renders the consent page for a device, with a warning about codes that other people have sent. RFC 8628 §5.4 */
export function deviceConsent(context: DeviceConsentPageContext): Page {
  const { message, nameOf, user, resources, userCode, accounts } = context;
  const title = message('deviceConsentTitle');
  return {
    title,
    main: html`<h1>${title}</h1>
      ${requestedAccess(context)}
      ${resources.map((uri) => html`<p>${message('deviceResource', { resource: html`<code>${uri}</code>` })}</p>`)}
      <p class="notice bad">${message('deviceWarning', { code: html`<b>${userCode}</b>` })}</p>
      ${decisionForm(context)}
      <p class="aside">
        ${message('signedInAs', { user: html`<b>${nameOf(user)}</b>` })}
        <a href="${accounts}">${message('otherAccount')}</a>
      </p>`,
  };
}

/** Renders the page that confirms the decision about a device. */
export function deviceDone({ message, allowed }: DeviceDonePageContext): Page {
  const title = message(allowed ? 'deviceAllowedTitle' : 'deviceDeniedTitle');
  return {
    title,
    main: html`<h1>${title}</h1>
      <p>${message(allowed ? 'deviceAllowedText' : 'deviceDeniedText')}</p>`,
  };
}
