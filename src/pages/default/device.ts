import type { DeviceConsentPageContext, DeviceDonePageContext, DevicePageContext, Page } from '../contexts.js';
import { html } from '../html.js';
import { requestedAccess, decisionForm } from './requested-access.js';
import { FOCUSED, hidden, INVALID, problemNotice } from './fields.js';

/**
 * Renders the page that asks for the code of a device. A code from the URL is filled in, and the user must compare it.
 * RFC 8628 §3.3.1
 */
export function device({ say, action, fields, userCode, problem }: DevicePageContext): Page {
  const title = say('deviceTitle');
  const isWrong = problem === 'wrongCode';
  const isMissing = userCode === undefined || isWrong;
  return {
    title: problem ? say('problem', { title }) : title,
    main: html`<h1>${title}</h1>
      ${problemNotice(say, problem)}
      <p>${say(isMissing ? 'deviceIntro' : 'deviceConfirm')}</p>
      <form method="post" action="${action}">
        ${hidden(fields)}
        <label for="user_code">${say('deviceCode')}</label>
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
        <button class="primary wide">${say('deviceContinue')}</button>
      </form>
      <p class="aside">${say('deviceSafety')}</p>`,
  };
}

/** Renders the consent page for a device, with a warning about codes that other people have sent. RFC 8628 §5.4 */
export function deviceConsent(context: DeviceConsentPageContext): Page {
  const { say, nameOf, user, resources, userCode, accounts } = context;
  const title = say('deviceConsentTitle');
  return {
    title,
    main: html`<h1>${title}</h1>
      ${requestedAccess(context)}
      ${resources.map((uri) => html`<p>${say('deviceResource', { resource: html`<code>${uri}</code>` })}</p>`)}
      <p class="notice bad">${say('deviceWarning', { code: html`<b>${userCode}</b>` })}</p>
      ${decisionForm(context)}
      <p class="aside">
        ${say('signedInAs', { user: html`<b>${nameOf(user)}</b>` })} <a href="${accounts}">${say('otherAccount')}</a>
      </p>`,
  };
}

/** Renders the page that confirms the decision about a device. */
export function deviceDone({ say, allowed }: DeviceDonePageContext): Page {
  const title = say(allowed ? 'deviceAllowedTitle' : 'deviceDeniedTitle');
  return {
    title,
    main: html`<h1>${title}</h1>
      <p>${say(allowed ? 'deviceAllowedText' : 'deviceDeniedText')}</p>`,
  };
}
