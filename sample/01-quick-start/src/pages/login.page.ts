import { html } from './html.js';
import { page } from './page.js';

export interface LoginForm {
  returnTo: string;
  formToken: string;
  username?: string;
  problem?: string;
}

/** Asks who the user is. Belongs to the authorization server: no client ever sees what is typed here. */
export function loginPage({ returnTo, formToken, username, problem }: LoginForm): string {
  return page({
    title: `${problem ? 'Problem: ' : ''}Sign in`,
    main: html`<main class="narrow card">
      <p class="eyebrow">Authorization server</p>
      <h1>Sign in</h1>
      ${problem && html`<p class="notice bad" role="alert" id="problem">${problem}</p>`}
      <form method="post" action="/login">
        <input type="hidden" name="form_token" value="${formToken}" />
        <input type="hidden" name="return_to" value="${returnTo}" />
        <label for="username">User name</label>
        <input
          id="username"
          name="username"
          value="${username}"
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          required
          ${problem ? described : focused}
        />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          ${problem && html`${described} ${focused}`}
        />
        <button class="primary wide">Sign in</button>
      </form>
      <p class="aside">For this demo: <b>alice</b> with the password <b>wonderland</b>.</p>
    </main>`,
  });
}

const focused = html`autofocus`;
const described = html`aria-invalid="true" aria-describedby="problem"`;
