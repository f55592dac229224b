import { describe, expect, it } from '@jest/globals';
import {
  AccessDeniedError,
  InvalidTargetError,
  OAuth2Server,
  OAuthError,
  Response,
  TemporarilyUnavailableError,
} from 'nest-oauth2/server';
import type { Feature } from 'nest-oauth2/features';

import { ALICE, CALLBACK, createTestModel } from '../../support/models/model.js';
import { pinnedRequests } from '../../support/clients/pinned-requests.js';
import { runOperation, authorizeRequest, signedIn, summary } from '../../support/clients/requests.js';

const NOTHING = { response_type: undefined, redirect_uri: undefined, scope: undefined, state: undefined };
const URI = 'urn:example:1';
const PINNED = { response_type: 'code', client_id: 'web', redirect_uri: CALLBACK, scope: 'read', state: 'pinned' };
const AGAIN = '400 invalid_request: Invalid request: this authorization request was already used';

function start(...features: Feature[]) {
  const testModel = createTestModel();
  const pins = pinnedRequests();
  pins.pinned.set(URI, { ...PINNED });
  const server = new OAuth2Server({ model: testModel.model, features: [pins.feature, ...features] });
  const authorize = (query: object = {}, body: object = {}) =>
    runOperation(server, 'authorize', authorizeRequest({ ...NOTHING, request_uri: URI, ...query }, { body }), signedIn);
  const read = () =>
    server.readAuthorizationRequest(authorizeRequest({ ...NOTHING, request_uri: URI }), new Response());
  return { testModel, server, authorize, read, ...pins, methods: () => testModel.calls.map(([method]) => method) };
}

describe('an authorization request whose parameters a feature finds by its request_uri', () => {
  it('uses the found parameters only, and is consumed before a code is issued', async () => {
    const { authorize, testModel, consumed: used, methods } = start();
    const { redirected } = await authorize({ scope: 'write', redirect_uri: 'https://evil.example/', state: 'url' });
    expect(redirected).toEqual({ code: expect.any(String), state: 'pinned' });
    expect([...testModel.codes.values()]).toMatchObject([{ scope: 'read', redirectUri: CALLBACK }]);
    expect([...used.values()]).toEqual([1]);
    expect(methods()).toEqual(['getClient', 'validateScope', 'saveAuthorizationCode']);
  });

  it('issues a code once, and causes an error in the browser the second time', async () => {
    const { authorize, testModel } = start();
    await authorize();
    const { error, status, headers, body } = await authorize();
    expect(summary(error)).toBe(AGAIN);
    expect([status, headers]).toEqual([400, { 'cache-control': 'no-store' }]);
    expect(body).toEqual({
      error: 'invalid_request',
      error_description: 'Invalid request: this authorization request was already used',
    });
    expect(testModel.codes.size).toBe(1);
  });

  it('issues one code to concurrent requests', async () => {
    const { authorize, testModel } = start();
    const answers = await Promise.all(Array.from({ length: 8 }, () => authorize()));
    expect(answers.filter(({ redirected }) => 'code' in redirected)).toHaveLength(1);
    expect(answers.filter(({ error }) => summary(error) === AGAIN)).toHaveLength(7);
    expect(testModel.codes.size).toBe(1);
  });

  it('is consumed by a decision that is an error', async () => {
    const { server, authorize, read, consumed: used } = start();
    const denial = server.decide(await read(), { error: new AccessDeniedError('No') }, new Response());
    await expect(denial).rejects.toThrow('No');
    expect([...used.values()]).toEqual([1]);
    expect(summary((await authorize()).error)).toBe(AGAIN);
  });

  it.each([
    ['query', { allowed: 'false' }, {}],
    ['form', {}, { allowed: 'false' }],
  ])('is consumed by allowed=false in the %s', async (_, query, body) => {
    const { authorize, testModel, consumed: used } = start();
    const { redirected } = await authorize(query, body);
    expect(redirected).toMatchObject({ error: 'access_denied', state: 'pinned' });
    expect([...used.values()]).toEqual([1]);
    expect(summary((await authorize()).error)).toBe(AGAIN);
    expect(testModel.codes.size).toBe(0);
  });

  it('is denied by allowed=false in the request itself, not in the stored parameters', async () => {
    const { authorize, pinned } = start();
    pinned.set(URI, { ...PINNED, allowed: 'false' });
    expect((await authorize()).redirected).toHaveProperty('code');
  });

  it('is not consumed when it is read or when the user may not grant its scope', async () => {
    const { read, authorize, pinned, consumed: used } = start();
    await read();
    pinned.set(URI, { ...PINNED, scope: 'admin' });
    expect((await authorize()).redirected).toMatchObject({ error: 'invalid_scope', state: 'pinned' });
    expect(used.size).toBe(0);
  });

  it('causes an error in the browser, before a lookup of the client, if it is not found', async () => {
    const { authorize, methods } = start();
    const { error, status, headers } = await authorize({ request_uri: 'urn:example:2' });
    expect(summary(error)).toBe('400 invalid_request: Invalid request: `request_uri` is unknown');
    expect([status, headers['location'], methods()]).toEqual([400, undefined, []]);
  });

  it('is rejected if two features find its parameters', async () => {
    const other = pinnedRequests('others');
    other.pinned.set(URI, { ...PINNED, scope: 'write' });
    const { authorize, testModel } = start(other.feature);
    const { error, headers } = await authorize();
    expect(summary(error)).toBe('400 invalid_request: Invalid request: its parameters come from more than one source');
    expect([headers['location'], testModel.codes.size]).toEqual([undefined, 0]);
  });

  it('issues no code if it cannot be consumed', async () => {
    const { server, testModel, feature, pinned } = start();
    const failing: Feature = {
      ...feature,
      install: (builder) => ({
        authorization: {
          resolve: async (sent) => ({
            ...(await feature.install!(builder)!.authorization!.resolve!(sent))!,
            consume: () => Promise.reject(new TemporarilyUnavailableError('database')),
          }),
        },
      }),
    };
    const away = new OAuth2Server({ model: server.options.model, features: [failing] });
    const request = authorizeRequest({ ...NOTHING, request_uri: URI });
    const { redirected } = await runOperation(away, 'authorize', request, signedIn);
    expect(redirected).toMatchObject({ error: 'temporarily_unavailable', state: 'pinned' });
    expect([testModel.codes.size, pinned.size]).toEqual([0, 1]);
  });

  it('uses its own parameters at a server without this feature', async () => {
    const { testModel } = start();
    const request = authorizeRequest({ request_uri: URI });
    const { redirected } = await runOperation(testModel, 'authorize', request, signedIn);
    expect(redirected).toMatchObject({ state: 'xyz' });
  });
});

describe('the authorization hooks of a feature', () => {
  const picky: Feature = {
    id: 'picky',
    install: (builder) => ({
      authorization: {
        async read(parameters, { client, requestedScope: scope, data, request }) {
          const resource = parameters.required('resource');
          if (resource !== 'api') throw new InvalidTargetError('Invalid target: `resource` is unknown');
          expect([client.id, scope, data, request.query?.['resource']]).toEqual(['web', 'read', {}, 'api']);
          expect(builder.server.options.model).toBeDefined();
          return { resource };
        },
        respond({ data, client }, user, parameters) {
          Object.assign(parameters, { reported: [data['resource'], client.id, user['id']].join(' ') });
        },
      },
    }),
  };

  it('receive the stored parameters of the request', async () => {
    const { authorize, pinned, testModel } = start(picky);
    pinned.set(URI, { ...PINNED, resource: 'api' });
    const { redirected } = await authorize({ resource: 'other' });
    expect(redirected).toEqual({ code: expect.any(String), reported: 'api web alice', state: 'pinned' });
    expect([...testModel.codes.values()]).toMatchObject([{ resource: 'api' }]);
  });

  it.each([
    [{ resource: 'other' }, 'invalid_target', 'Invalid target: `resource` is unknown'],
    [{}, 'invalid_request', 'Missing parameter: `resource`'],
    [{ resource: ['api', 'api'] }, 'invalid_request', 'Repeated parameter: `resource`'],
  ])(
    'can reject the parameters %j with an error to the client, in authorize() and in readAuthorizationRequest()',
    async (query, code, description) => {
      const { testModel, server } = start(picky);
      const request = authorizeRequest({ ...query });
      const { redirected } = await runOperation(server, 'authorize', request, signedIn);
      expect(redirected).toEqual({ error: code, error_description: description.replaceAll('"', "'"), state: 'xyz' });
      const response = new Response();
      await expect(server.readAuthorizationRequest(request, response)).rejects.toThrow(OAuthError);
      expect(response.get('location')).toMatch(`error=${code}&`);
      expect(testModel.codes.size).toBe(0);
    },
  );

  it('add properties to a token of response_type=token, but not to its response', async () => {
    const { testModel, server } = start(picky);
    testModel.clients.set('web', { ...testModel.clients.get('web')!, grants: ['implicit'] });
    const request = authorizeRequest({ response_type: 'token', resource: 'api' });
    const { redirected } = await runOperation(server, 'authorize', request, signedIn);
    expect(redirected).not.toHaveProperty('resource');
    expect(redirected).toHaveProperty('reported', 'api web alice');
    expect(testModel.accessTokens.get(String(redirected['access_token']))).toMatchObject({
      resource: 'api',
      user: ALICE,
    });
  });

  it('cannot replace the properties of a code that the library sets', async () => {
    const bold: Feature = {
      id: 'bold',
      install: () => ({
        authorization: {
          read: () => ({
            authorizationCode: 'known',
            scope: 'read write',
            expiresAt: new Date(8e15),
            codeChallenge: 'c',
          }),
        },
      }),
    };
    const { testModel, server } = start(bold);
    const request = authorizeRequest({ code_challenge: 'c'.repeat(43) });
    const { redirected } = await runOperation(server, 'authorize', request, signedIn);
    const code = testModel.codes.get(String(redirected['code']))!;
    expect(redirected['code']).not.toBe('known');
    expect([code.scope, code.codeChallenge]).toEqual(['read', 'c'.repeat(43)]);
    expect(code.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(300_000);
  });
});
