import { describe, expect, it } from '@jest/globals';
import { type AuthorizeOptions, OAuth2Server, Request, Response, ServerError } from 'nest-oauth2/server';

import { addAccessToken, createTestModel, type TestModel } from '../../support/models/model.js';
import { runOperation, authorizeRequest, resourceRequest, signedIn, summary } from '../../support/clients/requests.js';

const authorize = (query: object = {}, testModel: TestModel = createTestModel(), options: object = signedIn) =>
  runOperation(testModel, 'authorize', authorizeRequest({ ...query }), options);

describe('the user of an authorization request', () => {
  it('is returned by handle() of the authenticateHandler, which gets request and response', async () => {
    const handler = {
      user: { id: 'bob' },
      handle(request: unknown, response: unknown) {
        return request === requested && response !== undefined ? this.user : null;
      },
    };
    const requested = authorizeRequest();
    const { result } = await runOperation(createTestModel(), 'authorize', requested, { authenticateHandler: handler });
    expect(result?.['user']).toBe(handler.user);
  });

  it('can be returned by a handler that restores parameters of the request from before the login', async () => {
    const handle = (request: { query: object }) => {
      Object.assign(request.query, { state: 'remembered', response_type: 'code' });
      return { id: 'bob' };
    };
    const testModel = createTestModel();
    const { redirected } = await authorize({ state: undefined, response_type: undefined }, testModel, {
      authenticateHandler: { handle },
    });
    expect(redirected).toEqual({ code: expect.any(String), state: 'remembered' });
  });

  it.each([null, undefined, false, 0, ''])(
    'must be returned by the handler: %j causes a 503 error in the browser',
    async (user) => {
      const { error, status, headers, body } = await authorize({}, createTestModel(), {
        authenticateHandler: { handle: () => user },
      });
      const message = 'Server error: `handle()` did not return a `user` object';
      expect(error).toBeInstanceOf(ServerError);
      expect(summary(error)).toBe(`503 server_error: ${message}`);
      expect({ status, location: headers['location'], body }).toEqual({
        status: 503,
        location: undefined,
        body: { error: 'server_error', error_description: message },
      });
    },
  );

  it('causes server_error without details if the handler fails', async () => {
    const failing = { authenticateHandler: { handle: () => Promise.reject(new Error('secret')) } };
    const { error, body } = await authorize({}, createTestModel(), failing);
    expect([error?.name, JSON.stringify(body).includes('secret')]).toEqual(['server_error', false]);
  });

  it('is that of the handler of this call, also if a call changes its handler', async () => {
    const { model } = createTestModel();
    const server = new OAuth2Server({ model });
    const userOf = async (authenticateHandler: object) => {
      const options = { authenticateHandler } as AuthorizeOptions;
      return (await server.authorize(new Request(authorizeRequest()), new Response(), options)).user['id'];
    };
    const [alice, bob] = ['alice', 'bob'].map((id) => ({ handle: () => ({ id }) }));
    const users = [await userOf(alice!), await userOf(bob!), await userOf(alice!)];
    alice!.handle = () => ({ id: 'carol' });
    expect([...users, await userOf(alice!)]).toEqual(['alice', 'bob', 'alice', 'carol']);
  });

  it('is not looked up for an invalid request', async () => {
    let requested = 0;
    const counting = { authenticateHandler: { handle: () => ++requested } };
    await authorize({ client_id: 'who' }, createTestModel(), counting);
    await authorize({ redirect_uri: 'https://evil.example/' }, createTestModel(), counting);
    await authorize({ response_type: 'token' }, createTestModel(), counting);
    expect(requested).toBe(0);
  });

  it('is redirected to a login page if the handler redirects, and authorize() rejects with server_error', async () => {
    const handle = (_: unknown, response: { redirect(url: string): void }) =>
      response.redirect('https://as.example/login');
    const { error, status, headers, body } = await authorize({}, createTestModel(), {
      authenticateHandler: { handle },
    });
    expect([error?.name, status, headers, body]).toEqual([
      'server_error',
      302,
      { location: 'https://as.example/login' },
      {},
    ]);
  });

  it('is the user of the bearer token if there is no handler', async () => {
    const testModel = createTestModel();
    addAccessToken(testModel, { user: { id: 'carol' } });
    const { headers } = resourceRequest();
    const { result } = await runOperation(testModel, 'authorize', authorizeRequest({}, { headers }), {});
    expect(result?.['user']).toEqual({ id: 'carol' });
  });

  it.each([
    [{}, 401, 'unauthorized_request: Unauthorized request: no authentication given', 'Bearer realm="Service"'],
    [
      { authorization: 'Bearer bad' },
      401,
      'invalid_token: Invalid token: access token is invalid',
      'Bearer realm="Service",error="invalid_token"',
    ],
  ])('is missing with the headers %j, which causes a 401 challenge', async (given, code, expected, challenge) => {
    const { error, status, headers, body } = await runOperation(
      createTestModel(),
      'authorize',
      authorizeRequest({}, { headers: given }),
      {},
    );
    expect(summary(error)).toBe(`${code} ${expected}`);
    expect({ status, headers }).toEqual({
      status: code,
      headers: { 'www-authenticate': challenge, 'cache-control': 'no-store' },
    });
    expect(`${String(body['error'])}: ${String(body['error_description'])}`).toBe(expected);
  });

  it('can be refused by the handler with a response of its own', async () => {
    const handle = (_: unknown, response: { status: number; body: unknown }) => {
      Object.assign(response, { status: 401, body: 'Please sign in' });
    };
    const { status, body } = await authorize({}, createTestModel(), { authenticateHandler: { handle } });
    expect([status, body]).toEqual([401, 'Please sign in']);
  });
});
