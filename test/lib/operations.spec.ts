import { describe, expect, it, jest } from '@jest/globals';
import * as engine from 'nest-oauth2/server';

import { addAccessToken, createTestModel } from '../support/models/model.js';
import {
  runOperation,
  authorizeRequest,
  resourceRequest,
  signedIn,
  tokenRequest,
} from '../support/clients/requests.js';

const { OAuth2Server, Response } = engine;
const CREDENTIALS = { grant_type: 'client_credentials' };

describe('an operation of OAuth2Server', () => {
  const testModel = createTestModel();
  addAccessToken(testModel);
  const server = new OAuth2Server({ model: testModel.model, ...signedIn });
  const requests = {
    authenticate: () => resourceRequest(),
    authorize: () => authorizeRequest(),
    token: () => tokenRequest(CREDENTIALS),
  };
  const operations = ['authenticate', 'authorize', 'token'] as const;

  it.each(operations)('returns a promise and never throws synchronously: %s', async (name) => {
    for (const args of [[], [{}, {}], [null, null, null], [{}, {}, { model: 1 }], [{}, {}, { scope: 1 }]]) {
      const call = server[name] as (...given: unknown[]) => Promise<unknown>;
      const promise = call.apply(server, args);
      expect(promise).toBeInstanceOf(Promise);
      await expect(promise).rejects.toBeInstanceOf(engine.InvalidArgumentError);
    }
  });

  it.each(operations)('calls a callback in the fourth position: %s', async (name) => {
    const reported = jest.fn();
    const result = await (server[name] as typeof server.token)(requests[name](), new Response(), {}, reported);
    await new Promise(setImmediate);
    expect(reported.mock.calls).toEqual([[null, result]]);
  });

  it.each(operations)('calls a callback in the fourth position after null or undefined: %s', async (name) => {
    for (const options of [null, undefined]) {
      const reported = jest.fn();
      await (server[name] as typeof server.token)(requests[name](), new Response(), options as never, reported);
      await new Promise(setImmediate);
      expect(reported).toHaveBeenCalledTimes(1);
    }
  });

  it.each(operations)('calls a callback in the third position: %s', async (name) => {
    const reported = jest.fn();
    const result = await (server[name] as typeof server.token)(requests[name](), new Response(), reported);
    await new Promise(setImmediate);
    expect(reported.mock.calls).toEqual([[null, result]]);
  });

  it.each(operations)('calls back with an error, and causes no unhandled rejection: %s', async (name) => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const errors = await Promise.all(
      [{}, new engine.Request({ headers: {}, method: 'X', query: {} })].map(
        (request) =>
          new Promise((resolve) => {
            void server[name](request as never, new Response(), (...reported: unknown[]) => resolve(reported));
          }),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(errors).toEqual([[expect.any(engine.InvalidArgumentError)], [expect.any(engine.OAuthError)]]);
  });

  it('accepts a scope in place of the options of authenticate(): a string, a list, or with a callback', async () => {
    await expect(server.authenticate(resourceRequest(), new Response(), 'admin')).rejects.toThrow('authorized scope');
    await expect(server.authenticate(resourceRequest(), new Response(), ['admin'])).rejects.toThrow('authorized scope');
    const response = new Response();
    const reported = await new Promise((resolve) => {
      void server.authenticate(resourceRequest(), response, 'read', (_, token) => resolve(token));
    });
    expect(reported).toBe(testModel.accessTokens.get('access'));
    expect(response.get('X-Accepted-OAuth-Scopes')).toBe('read');
  });

  it('never uses the options of another call', async () => {
    const headers = async (options: object | string) =>
      (await runOperation(server, 'authenticate', resourceRequest(), options as object)).headers;
    const accepted = { 'x-accepted-oauth-scopes': 'read', 'x-oauth-scopes': 'read write' };
    expect(await headers({ scope: 'read' })).toEqual(accepted);
    expect(await headers({ scope: 'read', addAuthorizedScopesHeader: false })).toEqual({
      'x-accepted-oauth-scopes': 'read',
    });
    expect(await headers({ addAuthorizedScopesHeader: false, scope: 'read' })).toEqual({
      'x-accepted-oauth-scopes': 'read',
    });
    expect(await headers({ scope: 'admin' })).toHaveProperty('www-authenticate');
    expect(await headers({})).toEqual({});
    expect(await headers('read')).toEqual(accepted);
  });

  it('handles a request whose body and query are null', async () => {
    const request = () => Object.assign(tokenRequest(CREDENTIALS), { body: null, query: null });
    expect((await runOperation(server, 'token', request())).error?.message).toBe('Missing parameter: `grant_type`');
    expect((await runOperation(server, 'authorize', request())).error?.message).toBe('Missing parameter: `client_id`');
    expect((await runOperation(server, 'authenticate', request())).error?.message).toContain(
      'malformed authorization header',
    );
  });

  it('handles many concurrent requests', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        runOperation(server, 'token', tokenRequest(CREDENTIALS), index % 2 ? {} : undefined),
      ),
    );
    expect(new Set(outcomes.map(({ body }) => body['access_token'])).size).toBe(20);
  });
});

describe('an endpoint of OAuth2Server', () => {
  it('is created only once for all calls without options, at the first call', async () => {
    const make = jest.fn(() => ({ handle: () => Promise.resolve('pong') }));
    const ping = { id: 'ping', endpoints: { ping: { path: 'ping', methods: ['GET'], make } } };
    const server = new OAuth2Server({ model: createTestModel().model, features: [ping] });
    expect(make).not.toHaveBeenCalled();
    for (let i = 0; i < 2; i++) expect(await server.handle('ping', resourceRequest(), new Response())).toBe('pong');
    expect(make).toHaveBeenCalledTimes(1);
    await expect(server.handle('pong', resourceRequest(), new Response())).rejects.toThrow('no endpoint `pong`');
  });

  it('returns the same response as token() if its id is `token`', async () => {
    const server = new OAuth2Server({ model: createTestModel().model });
    const response = new Response();
    await server.handle('token', tokenRequest(CREDENTIALS), response);
    const { body, headers, status } = await runOperation(server, 'token', tokenRequest(CREDENTIALS));
    const access_token: unknown = expect.any(String);
    expect(response).toMatchObject({ status, headers, body: { ...body, access_token } });
  });
});
