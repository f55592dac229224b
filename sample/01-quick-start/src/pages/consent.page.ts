import type { ConsentContext } from 'nest-oauth2';
import { type DemoClient, type DemoUser, scopes } from '../demo-data.js';
import { html } from './html.js';
import { page } from './page.js';

/** Asks whether the client may have what it would get. The form posts `ticket` and `decision` to `action`. */
export function consentPage(user: DemoUser, context: ConsentContext<DemoClient>, wanted: string[]): string {
  const { client, redirectUri } = context.authorization;
  return page({
    title: 'Allow access?',
    main: html`<main class="narrow card">
      <p class="eyebrow">Authorization server</p>
      <h1>Allow access?</h1>
      <p><b>${client.name}</b> would like to:</p>
      <ul class="scopes">
        ${wanted.map((scope) => html`<li>${scopes[scope] ?? 'Use this scope:'} <code>${scope}</code></li>`)}
      </ul>
      <form method="post" action="${context.action}" class="choice">
        <input type="hidden" name="ticket" value="${context.ticket}" />
        <button class="primary" name="decision" value="allow">Allow</button>
        <button name="decision" value="deny">Deny</button>
      </form>
      <p class="aside">
        You are signed in as <b>${user.name}</b>. Either way you go on to <code>${new URL(redirectUri).host}</code>.
      </p>
    </main>`,
  });
}
