import type { LoginPageContext, Page } from '../render/contexts.js';
import type { LoginOption, OptionLogo } from '../render/login-option.js';
import { type Html, html } from '../render/html.js';
import { FOCUSED, hidden, INVALID, problemNotice } from './fields.js';

/** Renders the login page. */
export function login(context: LoginPageContext): Page {
  const { message, signUp, forgotPassword, password, nameFirst, methods = [], problem } = context;
  const title = message('signInTitle');
  return {
    title: problem ? message('problem', { title }) : title,
    main: html`<h1>${title}</h1>
      ${problemNotice(message, problem)} ${(password !== false || nameFirst) && passwordForm(context)}
      ${methods.map(loginOption)} ${link(forgotPassword, message('forgotPassword'))} ${link(signUp, message('signUp'))}`,
  };
}

/** Renders the form for a user name and, unless it comes later, a password. */
function passwordForm(context: LoginPageContext): Html {
  const {
    message,
    action,
    fields,
    username,
    usernameLabel = message('username'),
    nameFirst,
    methods = [],
    problem,
  } = context;
  const isWrong = problem === 'wrong';
  const hasPasskeys = methods.some(({ autofill }) => autofill === 'webauthn');
  return html`<form method="post" action="${action}">
    ${hidden(fields)}
    <label for="username">${usernameLabel}</label>
    <input
      id="username"
      name="username"
      value="${username}"
      autocomplete="username${hasPasskeys && ' webauthn'}"
      autocapitalize="none"
      spellcheck="false"
      maxlength="255"
      required
      ${isWrong || problem === 'noProvider' ? INVALID : !username && FOCUSED}
    />
    ${nameFirst ? false : passwordInput(context, isWrong)}
    <button class="primary wide">${message(nameFirst ? 'continue' : 'signIn')}</button>
  </form>`;
}

const passwordInput = ({ message, username, remember }: LoginPageContext, isWrong: boolean) =>
  html`<label for="password">${message('password')}</label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="current-password"
      maxlength="1000"
      required
      ${isWrong && INVALID}
      ${username && FOCUSED}
    />
    ${
      remember !== undefined &&
      html`<label class="check">
        <input type="checkbox" name="remember" value="1" ${remember && html`checked`} /> ${message('remember')}
      </label>`
    }`;

/** Renders what a method of login shows: its own content, a link, or a form with a button. */
function loginOption({ label, action, fields, main, logo }: LoginOption): Html {
  if (main) return main;
  const [look, content] = logo ? [' brand', html`${image(logo)}<span>${label}</span>`] : ['', label];
  if (!fields) return html`<p><a class="button wide${look}" href="${action}">${content}</a></p>`;
  return html`<form method="post" action="${action}">
    ${hidden(fields)}
    <button class="wide${look}">${content}</button>
  </form>`;
}

/** Renders a logo without a text alternative, because the label names the provider. */
const image = ({ light, dark }: OptionLogo) =>
  html`<picture>
    ${dark !== undefined && html`<source srcset="${dark}" media="(prefers-color-scheme: dark)" />`}
    <img src="${light}" alt="" width="20" height="20" />
  </picture>`;

const link = (url: string | undefined, text: Html) =>
  url !== undefined && html`<p class="aside"><a href="${url}">${text}</a></p>`;
