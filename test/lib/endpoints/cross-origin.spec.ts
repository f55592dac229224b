import { describe, expect, it } from '@jest/globals';
import { type Client, OAuth2Server } from 'nest-oauth2/server';

import { createHost, SECRET, WEB } from '../../support/model.js';
import { answer, basic, FORM, summary, tokenRequest } from '../../support/requests.js';

const APP = 'https://app.example';
const REFUSED = '400 invalid_request: Invalid request: this client may not be used from this origin';
const GRANT = { grant_type: 'client_credentials' };

/** Asks for a token as a page would; the client is `web`, registered at https://app.example unless it says otherwise. */
async function ask(headers: object, client: Partial<Client> = {}, options: object = { cors: { origins: '*' } }) {
  const host = createHost();
  host.clients.set('web', { ...WEB, ...client });
  const server = new OAuth2Server({ model: host.model, ...options });
  const authorization = basic('web', SECRET);
  const request = tokenRequest(GRANT, { headers: { ...FORM, authorization, host: 'id.example', ...headers } });
  const outcome = await answer(server, 'token', request);
  return { ...outcome, spent: host.calls.some(([method]) => method === 'saveToken') };
}

// Issue 9, 3
describe('the option `cors`', () => {
  it('left out says nothing and looks at no origin', async () => {
    const { status, headers } = await ask({ origin: 'https://evil.example' }, {}, {});
    expect({ status, headers }).toEqual({ status: 200, headers: { 'cache-control': 'no-store', pragma: 'no-cache' } });
  });

  it('lets a page of a configured origin read answers, and asks for no cookies', async () => {
    const { status, headers } = await ask({ origin: APP }, {}, { cors: { origins: ['https://a.example', APP] } });
    expect(status).toBe(200);
    expect(headers).toEqual({
      'access-control-allow-origin': APP,
      'access-control-expose-headers': 'Retry-After, WWW-Authenticate, DPoP-Nonce',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      vary: 'Origin',
    });
  });

  it('lets it read errors too', async () => {
    const { status, headers } = await ask({ origin: APP, authorization: basic('web', 'wrong') });
    expect([status, headers['access-control-allow-origin'], headers['vary']]).toEqual([401, APP, 'Origin']);
  });

  const native = { redirectUris: ['http://127.0.0.1/cb'] };
  it.each<[string, object, Partial<Client>]>([
    ['without an origin', {}, {}],
    ['of an origin that a redirect URI has', { origin: APP }, {}],
    [
      'of such an origin on another port that is named',
      { origin: `${APP}:8443` },
      { redirectUris: [`${APP}:8443/cb`] },
    ],
    ['of a native client at any loopback port', { origin: 'http://127.0.0.1:5173' }, native],
    ['of an origin that is registered', { origin: 'https://b.example' }, { allowedOrigins: ['https://b.example'] }],
    ['of a registered origin without the web’s scheme', { origin: 'app://x' }, { allowedOrigins: ['app://x'] }],
    ['of this server itself', { origin: 'https://id.example' }, { allowedOrigins: [] }],
    ['of this server itself, as the browser says', { origin: 'null', 'sec-fetch-site': 'same-origin' }, {}],
  ])('answers a request %s', async (_name, headers, client) => {
    const { error, spent } = await ask(headers, client);
    expect([summary(error), spent]).toEqual(['no error', true]);
  });

  it('takes the issuer for a name of this server', async () => {
    const options = { cors: { origins: '*' }, issuer: 'https://public.example/tenant' };
    expect((await ask({ origin: 'https://public.example' }, {}, options)).status).toBe(200);
  });

  it.each<[string, object, Partial<Client>]>([
    ['another', { origin: 'https://evil.example' }, {}],
    ['another, which says it is this one', { origin: 'https://id.example', 'sec-fetch-site': 'cross-site' }, {}],
    ['another scheme', { origin: 'http://app.example' }, {}],
    ['another port', { origin: `${APP}:8443` }, {}],
    ['an ancestor', { origin: 'https://example' }, {}],
    [
      'a redirect URI, beside other ones that are registered',
      { origin: APP },
      { allowedOrigins: ['https://b.example'] },
    ],
    ['a redirect URI, where none is allowed', { origin: APP }, { allowedOrigins: [] }],
    ['a part of a text where a list is due', { origin: APP }, { allowedOrigins: `${APP}.evil.example` as never }],
    ['nothing that can be named', { origin: 'null' }, { allowedOrigins: ['null'], redirectUris: ['data:text/html,x'] }],
    ['two', { origin: `${APP}, ${APP}` }, {}],
    [
      'a loopback port of a web site',
      { origin: 'http://127.0.0.1:5173' },
      { redirectUris: [...native.redirectUris, `${APP}/cb`] },
    ],
    ['no redirect URI', { origin: APP }, { redirectUris: undefined }],
  ])('refuses a request whose origin is %s, before anything is spent', async (_name, headers, client) => {
    const { error, spent } = await ask(headers, client);
    expect([summary(error), spent]).toEqual([REFUSED, false]);
  });

  it('refuses the client’s own origin where the host did not configure it, and lets no page read that', async () => {
    const { error, headers, spent } = await ask({ origin: APP }, {}, { cors: { origins: ['https://a.example'] } });
    expect([summary(error), spent]).toEqual([REFUSED, false]);
    expect(headers).toEqual({ 'cache-control': 'no-store', pragma: 'no-cache', vary: 'Origin' });
  });
});
