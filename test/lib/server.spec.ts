import { afterEach, describe, expect, it, jest } from '@jest/globals';
import DefaultExport, * as engine from 'nest-oauth2/server';

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

afterEach(() => {
  jest.restoreAllMocks();
});

describe('OAuth2Server', () => {
  it('is the default export, and has Request, Response and AbstractGrantType as static properties', () => {
    expect(DefaultExport).toBe(OAuth2Server);
    const { Request, AbstractGrantType } = engine;
    expect([
      OAuth2Server.Request,
      OAuth2Server.Response,
      OAuth2Server.AbstractGrantType,
      OAuth2Server.OAuth2Server,
    ]).toEqual([Request, Response, AbstractGrantType, OAuth2Server]);
  });

  it.each([undefined, null, {}, { model: null }])('cannot be created with %j, which has no model', (options) => {
    const make = () => new OAuth2Server(options as never);
    expect(make).toThrow(engine.InvalidArgumentError);
    expect(make).toThrow('Missing parameter: `model`');
  });

  it.each(['a text', 1, true])('cannot be created with %j as model', (model) => {
    expect(() => new OAuth2Server({ model: model as never })).toThrow('Invalid parameter: `model`');
  });

  it('keeps the options object that it was created with', () => {
    const options = { model: createTestModel().model, scope: 'read' };
    expect(new OAuth2Server(options).options).toBe(options);
  });
});

describe('an option of OAuth2Server', () => {
  const lifetime = async (options: object, perCall?: object) => {
    const server = new OAuth2Server({ model: createTestModel().model, ...options });
    return (await runOperation(server, 'token', tokenRequest(CREDENTIALS), perCall)).body['expires_in'];
  };

  it.each([
    ['the default', {}, undefined, 3600],
    ['the server', { accessTokenLifetime: 600 }, undefined, 600],
    ['the call', { accessTokenLifetime: 600 }, { accessTokenLifetime: 60 }, 60],
    ['the server if the call sets undefined', { accessTokenLifetime: 600 }, { accessTokenLifetime: undefined }, 600],
    ['the default if the server sets undefined', { accessTokenLifetime: undefined }, {}, 3600],
  ])('takes its value from %s', async (_, options, perCall, expected) => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2030, 0));
    expect(await lifetime(options, perCall)).toBe(expected);
  });

  it('does not keep the value of a previous call', async () => {
    const server = new OAuth2Server({ model: createTestModel().model });
    await runOperation(server, 'token', tokenRequest(CREDENTIALS), { accessTokenLifetime: 60 });
    const { body } = await runOperation(server, 'token', tokenRequest(CREDENTIALS));
    expect(body['expires_in']).toBeGreaterThan(3000);
  });

  it('can replace the model for one call', async () => {
    const testModel = createTestModel();
    addAccessToken(testModel);
    const server = new OAuth2Server({ model: createTestModel().model });
    expect((await runOperation(server, 'authenticate', resourceRequest(), { model: testModel.model })).status).toBe(
      200,
    );
    expect((await runOperation(server, 'authenticate', resourceRequest())).status).toBe(401);
    const { error } = await runOperation(server, 'authenticate', resourceRequest(), { model: 'none' });
    expect(error?.message).toBe('Invalid parameter: `model`');
  });

  it('applies to authorize() if it was set on the server', async () => {
    const server = new OAuth2Server({
      model: createTestModel().model,
      ...signedIn,
      allowEmptyState: true,
      issuer: 'https://as',
    });
    const { redirected } = await runOperation(server, 'authorize', authorizeRequest({ state: undefined }));
    expect(redirected).toEqual({ code: expect.stringMatching(/^[0-9a-f]{64}$/), iss: 'https://as' });
  });

  it.each([
    { extendedGrantTypes: null },
    { requireClientAuthentication: null },
    { events: null },
    { authenticateHandler: null },
  ])('can be null, which means that it is not set: %j', async (options) => {
    expect((await runOperation(createTestModel(), 'token', tokenRequest(CREDENTIALS), options)).status).toBe(200);
  });
});
