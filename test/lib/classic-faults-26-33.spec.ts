import { describe, expect, it, jest } from '@jest/globals';
import * as engine from 'nest-oauth2/server';

import { ALICE, createHost, WEB } from '../support/model.js';
import {
  answer,
  authorizeRequest,
  basic,
  FORM,
  formRequest,
  resourceRequest,
  signedIn,
  tokenRequest,
} from '../support/requests.js';

// What the classic libraries do wrong, one test each, in the order of the list in docs/migrating.md: protocol and API.

const CREDENTIALS = { grant_type: 'client_credentials' };
const authorize = (query: object = {}, host = createHost(), options: object = {}) =>
  answer(host, 'authorize', authorizeRequest({ ...query }), { ...signedIn, ...options });

describe('the protocol faults of the classic libraries are absent:', () => {
  it('26. a form is a form without a content-length', async () => {
    const headers = { 'content-type': FORM['content-type'], authorization: basic('web', 's3cret') };
    expect((await answer(createHost(), 'token', tokenRequest(CREDENTIALS, { headers }))).status).toBe(200);
  });

  it('27. the response has the status of the error in every operation', async () => {
    const outcomes = [
      await answer(createHost(), 'authenticate', resourceRequest(null)),
      await answer(createHost(), 'authenticate', resourceRequest('Basic x')),
      await authorize({ client_id: 'who' }),
      await answer(createHost(), 'authorize', authorizeRequest()),
      await answer(createHost(), 'token', tokenRequest(CREDENTIALS, { method: 'GET' })),
      await answer(createHost(), 'token', formRequest(CREDENTIALS, { headers: {} })),
    ];
    for (const { error, status } of outcomes) expect(status).toBe(error?.code);
    expect(outcomes.map(({ status }) => status)).toEqual([401, 400, 400, 401, 400, 400]);
  });

  it('28. the response type is checked before the model is asked for anything, and an empty scope is none', async () => {
    const host = createHost({ generateAuthorizationCode: () => 'x' });
    await authorize({ response_type: 'nonsense' }, host);
    expect(host.calls.map(([method]) => method)).toEqual(['getClient']);
    for (const scope of ['', ' ']) {
      expect((await authorize({ scope })).redirected).toHaveProperty('code');
      expect((await answer(createHost(), 'token', tokenRequest({ ...CREDENTIALS, scope }))).status).toBe(200);
    }
  });

  it('29. method and scheme may be spelt in any case, and a description holds no quotes', async () => {
    expect((await answer(createHost(), 'token', tokenRequest(CREDENTIALS, { method: 'post' }))).status).toBe(200);
    expect((await answer(createHost(), 'authenticate', resourceRequest('bearer x'))).error?.name).toBe('invalid_token');
    const { redirected } = await authorize({ code_challenge_method: 'plain' });
    expect(redirected['error_description']).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  it('30. a user name or password may mix emoji with anything', async () => {
    const getUser = (name: string, password: string) => ({ id: name + password });
    const body = { grant_type: 'password', username: 'ann 😀', password: 'p@ss 🔑 wörd' };
    const { result } = await answer(createHost({ getUser }), 'token', tokenRequest(body));
    expect(result?.['user']).toEqual({ id: 'ann 😀p@ss 🔑 wörd' });
  });

  it('31. the implicit grant works, and authorization responses name the issuer', async () => {
    const host = createHost();
    host.clients.set('web', { ...WEB, grants: ['implicit'] });
    const { headers } = await authorize({ response_type: 'token' }, host, { issuer: 'https://as.example' });
    expect(headers['location']).toMatch(
      /#access_token=[0-9a-f]{64}&token_type=Bearer&.*&state=xyz&iss=https%3A%2F%2Fas\.example$/,
    );
  });

  it('32. an extension grant that does not await the scope it asks for gets no more than the model grants', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    class Issuing extends engine.GrantType {
      handle(request: engine.Request, client: engine.Client) {
        return this.issueToken({ client, user: ALICE, scope: this.getScope(request) });
      }
    }
    const extendedGrantTypes = { 'urn:example:extension': Issuing };
    const request = tokenRequest({ grant_type: 'urn:example:extension', scope: 'admin' });
    const { error } = await answer(createHost(), 'token', request, { extendedGrantTypes });
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect([error?.name, unhandled.mock.calls]).toEqual(['invalid_scope', []]);
  });

  it('33. an error is named for its class, and a header called __proto__ is no prototype', () => {
    expect(engine.InvalidRequestError.name).toBe('InvalidRequestError');
    const headers = JSON.parse('{"__proto__":{"authorization":"Bearer x"}}') as object;
    const request = new engine.Request({ method: 'GET', headers, query: {} });
    expect(request.get('authorization')).toBeUndefined();
    expect(request.headers['authorization']).toBeUndefined();
  });
});
