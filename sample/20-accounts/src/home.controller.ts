import { Controller, Get, Header, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OAuth2Sessions } from 'nest-oauth2';
import { html } from 'nest-oauth2/pages';

/** The first-party web application. Its script calls the API with the login session, without a token. */
@Controller()
export class HomeController {
  constructor(@Inject(OAuth2Sessions) private readonly sessions: OAuth2Sessions) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const user = await this.sessions.findUser(request);
    const main = user
      ? html`<ul class="scopes" id="notes"></ul>
          <form id="add">
            <label for="text">New note</label>
            <input id="text" name="text" required />
            <button class="primary wide">Add note</button>
          </form>
          <p><a href="/oauth/account">My account</a> · <a href="/reader">Read my notes with an app</a></p>
          <p><a href="/oauth/logout">Sign out</a></p>`
      : html`<p><a class="button primary wide" href="/oauth/sign_up">Create an account</a></p>
          <p><a class="button wide" href="/oauth/login">Sign in</a></p>`;
    await this.sessions.page(request, response, {
      title: user ? `Notes of ${String(user['name'])}` : 'Notes',
      main: html`${main}
        <p class="aside">This server sends no e-mails. It shows them at <a href="/mails">/mails</a>.</p>`,
      ...(user && { script: '/notes.js' }),
    });
  }

  @Get('notes.js')
  @Header('content-type', 'text/javascript')
  script(): string {
    return script;
  }
}

const script = `
async function show(response) {
  if (!response.ok) return location.reload(); // the session has ended
  const items = (await response.json()).map((note) => {
    const item = document.createElement('li');
    item.textContent = note;
    return item;
  });
  document.querySelector('#notes').replaceChildren(...items);
}

document.querySelector('#add').addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = new URLSearchParams(new FormData(event.target));
  event.target.reset();
  // Forms of other sites cannot send this header.
  await show(await fetch('/notes', { method: 'POST', headers: { 'x-requested-with': 'fetch' }, body }));
});
await show(await fetch('/notes'));
`;
