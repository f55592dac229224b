import { describe, expect, it } from '@jest/globals';
import { type Client, OAuth2Server } from 'nest-oauth2/server';

import { createTestModel, SECRET, WEB } from '../../support/models/model.js';
import { runOperation, basic, FORM, summary, tokenRequest } from '../../support/clients/requests.js';

const APP = 'https://app.example';
const REFUSED = '400 invalid_request: Invalid request: this client may not be used from this origin';
const GRANT = { grant_type: 'client_credentials' };

/**
 * Requests a token as a page does. The client is `web`, registered at https://app.example if `client` does not differ.
 */
async function ask(headers: object, client: Partial<Client> = {}, options: object = { cors: { origins: '*' } }) {
  const testModel = createTestModel();
  testModel.clients.set('web', { ...WEB, ...client });
  const server = new OAuth2Server({ model: testModel.model, ...options });
  const authorization = basic('web', SECRET);
  const request = tokenRequest(GRANT, { headers: { ...FORM, authorization, host: 'id.example', ...headers } });
  const outcome = await runOperation(server, 'token', request);
  return { ...outcome, isIssued: testModel.calls.some(([method]) => method === 'saveToken') };
}

describe('the option `cors`', () => {
  it('sends no CORS headers and ignores the origin if it is omitted', async () => {
    const { status, headers } = await ask({ origin: 'https://evil.example' }, {}, {});
    expect({ status, headers }).toEqual({ status: 200, headers: { 'cache-control': 'no-store', pragma: 'no-cache' } });
  });

  it('lets a page of a configured origin read responses, without cookies', async () => {
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

  it('lets a page of a configured origin read errors', async () => {
    const { status, headers } = await ask({ origin: APP, authorization: basic('web', 'wrong') });
    expect([status, headers['access-control-allow-origin'], headers['vary']]).toEqual([401, APP, 'Origin']);
  });

  const native = { redirectUris: ['http://127.0.0.1/cb'] };
  it.each<[string, object, Partial<Client>]>([
    ['without an Origin header', {}, {}],
    ['with the origin of a redirect URI', { origin: APP }, {}],
    ['with the origin of a redirect URI with a port', { origin: `${APP}:8443` }, { redirectUris: [`${APP}:8443/cb`] }],
    ['of a native client with any loopback port as origin', { origin: 'http://127.0.0.1:5173' }, native],
    ['with a registered origin', { origin: 'https://b.example' }, { allowedOrigins: ['https://b.example'] }],
    ['with a registered origin of a private-use scheme', { origin: 'app://x' }, { allowedOrigins: ['app://x'] }],
    ['with the origin of this server', { origin: 'https://id.example' }, { allowedOrigins: [] }],
    ['that the browser marks as same-origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }, {}],
  ])('accepts a token request %s', async (_name, headers, client) => {
    const { error, isIssued } = await ask(headers, client);
    expect([summary(error), isIssued]).toEqual(['no error', true]);
  });

  it('accepts a request from the origin of the `issuer`, even if the `Host` header differs', async () => {
    const options = { cors: { origins: '*' }, issuer: 'https://public.example/tenant' };
    expect((await ask({ origin: 'https://public.example' }, {}, options)).status).toBe(200);
  });

  it.each<[string, object, Partial<Client>]>([
    ['not that of the client', { origin: 'https://evil.example' }, {}],
    [
      'that of this server, but the browser marks it as cross-site',
      { origin: 'https://id.example', 'sec-fetch-site': 'cross-site' },
      {},
    ],
    ['that of the client with another scheme', { origin: 'http://app.example' }, {}],
    ['that of the client with another port', { origin: `${APP}:8443` }, {}],
    ['a parent domain', { origin: 'https://example' }, {}],
    [
      'that of a redirect URI, but the client registered another origin',
      { origin: APP },
      { allowedOrigins: ['https://b.example'] },
    ],
    [
      'that of a redirect URI, but the client registered an empty list of origins',
      { origin: APP },
      { allowedOrigins: [] },
    ],
    [
      'part of a string that is registered in place of a list',
      { origin: APP },
      { allowedOrigins: `${APP}.evil.example` as never },
    ],
    ['null', { origin: 'null' }, { allowedOrigins: ['null'], redirectUris: ['data:text/html,x'] }],
    ['repeated', { origin: `${APP}, ${APP}` }, {}],
    [
      'a loopback port, and the client is a web site',
      { origin: 'http://127.0.0.1:5173' },
      { redirectUris: [...native.redirectUris, `${APP}/cb`] },
    ],
    ['that of a client without redirect URIs', { origin: APP }, { redirectUris: undefined }],
  ])('rejects a token request before a token is issued if its origin is %s', async (_name, headers, client) => {
    const { error, isIssued } = await ask(headers, client);
    expect([summary(error), isIssued]).toEqual([REFUSED, false]);
  });

  it('rejects a token request of a page, without CORS headers, if `cors` does not list the origin of the page', async () => {
    const { error, headers, isIssued } = await ask({ origin: APP }, {}, { cors: { origins: ['https://a.example'] } });
    expect([summary(error), isIssued]).toEqual([REFUSED, false]);
    expect(headers).toEqual({ 'cache-control': 'no-store', pragma: 'no-cache', vary: 'Origin' });
  });
});
