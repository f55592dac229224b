import { Controller, Get, Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { html, page, sendPage } from 'nest-oauth2/pages';
import { branding, scopes } from './branding.js';

/**
 * A third-party app, which runs in the browser and is served by the same process in this demo. It requests both scopes,
 * and reads in the token response which of them the user allowed.
 */
@Controller('reader')
export class ReaderController {
  @Get()
  show(@Res() response: Response): void {
    const main = html`<p id="status" role="status">Signing in …</p>
      <ul class="scopes" id="notes"></ul>
      <p><a href="/">Back</a> · <a href="/reader?prompt=consent">Ask me again</a></p>`;
    sendPage(response, page({ title: 'Reader', main, script: '/reader/script.js' }, branding));
  }

  @Get('script.js')
  @Header('content-type', 'text/javascript')
  script(): string {
    return script;
  }
}

const script = `
const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
const query = new URLSearchParams(location.search);
const redirect_uri = location.origin + '/reader';
const show = (text) => (document.querySelector('#status').textContent = text);

if (query.has('state')) await finish();
else await begin();

/** Sends the user to the consent page, with a PKCE challenge. */
async function begin() {
  const pending = { state: random(), verifier: random() };
  sessionStorage.setItem('pending', JSON.stringify(pending));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  location.replace('/oauth/authorize?' + new URLSearchParams({
    response_type: 'code',
    client_id: 'reader',
    redirect_uri,
    scope: '${scopes.join(' ')}',
    state: pending.state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...(query.has('prompt') && { prompt: 'consent' }),
  }));
}

/** Redeems the code, and reads the notes with the access token. */
async function finish() {
  const pending = JSON.parse(sessionStorage.getItem('pending') ?? '{}');
  sessionStorage.removeItem('pending');
  history.replaceState(null, '', '/reader');
  if (query.get('state') !== pending.state || query.get('iss') !== location.origin) return show('Start again.');
  if (query.has('error')) return show(query.get('error_description'));
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'reader',
    code: query.get('code'),
    redirect_uri,
    code_verifier: pending.verifier,
  });
  const { access_token, scope, error_description } = await (await fetch('/oauth/token', { method: 'POST', body })).json();
  if (!access_token) return show(error_description);
  show('You allowed: ' + scope);
  const headers = { authorization: 'Bearer ' + access_token };
  const notes = await (await fetch('/notes', { headers, credentials: 'omit' })).json();
  const items = notes.map((note) => Object.assign(document.createElement('li'), { textContent: note }));
  document.querySelector('#notes').replaceChildren(...items);
}
`;
