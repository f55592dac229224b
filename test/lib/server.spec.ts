import { afterEach, describe, expect, it, jest } from '@jest/globals';
import DefaultExport, * as engine from 'nest-oauth2/server';

import { addAccessToken, createHost } from '../support/model.js';
import { answer, authorizeRequest, resourceRequest, signedIn, tokenRequest } from '../support/requests.js';

const { OAuth2Server, Response } = engine;
const CREDENTIALS = { grant_type: 'client_credentials' };

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the server class', () => {
  it('is the default export, and carries wrappers and grant type as statics', () => {
    expect(DefaultExport).toBe(OAuth2Server);
    const { Request, AbstractGrantType } = engine;
    expect([
      OAuth2Server.Request,
      OAuth2Server.Response,
      OAuth2Server.AbstractGrantType,
      OAuth2Server.OAuth2Server,
    ]).toEqual([Request, Response, AbstractGrantType, OAuth2Server]);
  });

  it.each([undefined, null, {}, { model: null }])('is not made from %j, which has no model', (options) => {
    const make = () => new OAuth2Server(options as never);
    expect(make).toThrow(engine.InvalidArgumentError);
    expect(make).toThrow('Missing parameter: `model`');
  });

  it.each(['a text', 1, true])('is not made with %j for a model', (model) => {
    expect(() => new OAuth2Server({ model: model as never })).toThrow('Invalid parameter: `model`');
  });

  it('keeps the very options it was made with', () => {
    const options = { model: createHost().model, scope: 'read' };
    expect(new OAuth2Server(options).options).toBe(options);
  });
});

describe('an option', () => {
  const lifetime = async (options: object, perCall?: object) => {
    const server = new OAuth2Server({ model: createHost().model, ...options });
    return (await answer(server, 'token', tokenRequest(CREDENTIALS), perCall)).body['expires_in'];
  };

  it.each([
    ['a default', {}, undefined, 3600],
    ['the server', { accessTokenLifetime: 600 }, undefined, 600],
    ['the call', { accessTokenLifetime: 600 }, { accessTokenLifetime: 60 }, 60],
    [
      'the server, where the call says undefined',
      { accessTokenLifetime: 600 },
      { accessTokenLifetime: undefined },
      600,
    ],
    ['a default, where the server says undefined', { accessTokenLifetime: undefined }, {}, 3600],
  ])('comes from %s', async (_, options, perCall, expected) => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0));
    expect(await lifetime(options, perCall)).toBe(expected);
  });

  it('of one call is forgotten by the next', async () => {
    const server = new OAuth2Server({ model: createHost().model });
    await answer(server, 'token', tokenRequest(CREDENTIALS), { accessTokenLifetime: 60 });
    const { body } = await answer(server, 'token', tokenRequest(CREDENTIALS));
    expect(body['expires_in']).toBeGreaterThan(3000);
  });

  it('may replace the model for one call', async () => {
    const host = createHost();
    addAccessToken(host);
    const server = new OAuth2Server({ model: createHost().model });
    expect((await answer(server, 'authenticate', resourceRequest(), { model: host.model })).status).toBe(200);
    expect((await answer(server, 'authenticate', resourceRequest())).status).toBe(401);
    const { error } = await answer(server, 'authenticate', resourceRequest(), { model: 'none' });
    expect(error?.message).toBe('Invalid parameter: `model`');
  });

  it('of the server holds for every operation that knows it', async () => {
    const server = new OAuth2Server({
      model: createHost().model,
      ...signedIn,
      allowEmptyState: true,
      issuer: 'https://as',
    });
    const { redirected } = await answer(server, 'authorize', authorizeRequest({ state: undefined }));
    expect(redirected).toEqual({ code: expect.stringMatching(/^[0-9a-f]{64}$/), iss: 'https://as' });
  });

  it.each([
    { extendedGrantTypes: null },
    { requireClientAuthentication: null },
    { events: null },
    { authenticateHandler: null },
  ])('that is null, as in %j, is like one left out', async (options) => {
    expect((await answer(createHost(), 'token', tokenRequest(CREDENTIALS), options)).status).toBe(200);
  });
});
