import { describe, expect, it } from '@jest/globals';
import {
  AccessDeniedError,
  type AuthenticationState,
  type AuthorizationRequest,
  ConsentRequiredError,
  type Decision,
  InteractionRequiredError,
  InvalidRequestError,
  LoginRequiredError,
  OAuth2Server,
  type OAuth2ServerOptions,
  OAuthError,
  type RequiredInteraction,
  Response,
} from 'nest-oauth2/server';
import type { Feature, Parameters } from 'nest-oauth2/features';

import { deferredErrorOf } from '../../../lib/endpoints/authorization/deferred-error.js';
import { ALICE, CALLBACK, createTestModel, type TestModel, WEB } from '../../support/models/model.js';
import { authorizeRequest, CHALLENGE, summary } from '../../support/clients/requests.js';

const NO = new AccessDeniedError('Access denied: the user denied the request');

/** Creates a server that has read an authorization request, and a function that decides it. */
async function reading(query: object = {}, options: Partial<OAuth2ServerOptions> = {}, testModel = createTestModel()) {
  const server = new OAuth2Server({ model: testModel.model, ...options });
  const response = new Response();
  const requested = await server.readAuthorizationRequest(authorizeRequest({ ...query }), response);
  return {
    testModel,
    server,
    response,
    requested,
    decide: (decision: Decision) => decided(server, requested, decision, response),
  };
}

async function decided(server: OAuth2Server, requested: AuthorizationRequest, decision: Decision, response: Response) {
  const { result, error } = await server.decide(requested, decision, response).then(
    (saved) => ({ result: saved, error: undefined }),
    (caught: unknown) => ({ result: undefined, error: caught as OAuthError }),
  );
  const location = response.get('location');
  return { result, error, location, reported: location && Object.fromEntries(new URL(location).searchParams) };
}

const methods = (testModel: TestModel) => testModel.calls.map(([method]) => method);
const savedCode = (testModel: TestModel) => testModel.calls.find(([method]) => method === 'saveAuthorizationCode')?.[1];

describe('decide()', () => {
  it('redirects with a code if the user agreed, and calls each model method once', async () => {
    const { testModel, response, decide } = await reading({ code_challenge: CHALLENGE });
    const { result, reported } = await decide({ user: ALICE });
    expect([...testModel.codes.values()]).toEqual([result]);
    expect(result).toMatchObject({ user: ALICE, client: WEB, scope: 'read', codeChallenge: CHALLENGE });
    expect(reported).toEqual({ code: result!.authorizationCode, state: 'xyz' });
    expect(response).toMatchObject({ status: 302, headers: { 'cache-control': 'no-store' } });
    expect(methods(testModel)).toEqual(['getClient', 'validateScope', 'saveAuthorizationCode']);
  });

  it('revokes the grant of a user who was signed out while the code was saved', async () => {
    const testModel = createTestModel({ revokeGrant: () => true });
    const { decide } = await reading({}, {}, testModel);
    const { error, reported } = await decide({ user: ALICE, isSignedIn: async () => false });
    expect(error).toBeInstanceOf(LoginRequiredError);
    expect(reported).toMatchObject({ error: 'login_required', state: 'xyz' });
    const [code] = testModel.codes.values();
    expect(code!.grantId).toBeDefined();
    expect(testModel.calls.at(-1)).toEqual(['revokeGrant', code!.grantId]);
    expect((await (await reading()).decide({ user: ALICE, isSignedIn: () => true })).reported).toHaveProperty('code');
  });

  it('validates the scope only once, although grantableScope() already validated it for the same user', async () => {
    const { testModel, server, requested, response, decide } = await reading({ scope: 'read write' });
    expect(await server.grantableScope(requested, ALICE, response)).toBe('read write');
    expect(await server.grantableScope(requested, ALICE, response)).toBe('read write');
    await decide({ user: ALICE });
    expect(methods(testModel)).toEqual(['getClient', 'validateScope', 'saveAuthorizationCode']);
  });

  it('validates the scope again if grantableScope() validated it for another user', async () => {
    const users: unknown[] = [];
    const testModel = createTestModel({ validateScope: (user: object) => users.push(user) > 1 && 'read' });
    const { server, requested, response, decide } = await reading({ scope: 'read write' }, {}, testModel);
    await expect(server.grantableScope(requested, { id: 'bob' }, response)).rejects.toThrow('Invalid scope');
    expect(response.get('location')).toMatch(/\?error=invalid_scope&/);
    await decide({ user: ALICE });
    expect(users).toEqual([{ id: 'bob' }, ALICE]);
    expect(savedCode(testModel)).toMatchObject({ scope: 'read' });
  });

  it('does not validate the scope again if readAuthorizationRequest() validated it for the user', async () => {
    const testModel = createTestModel();
    const server = new OAuth2Server({ model: testModel.model });
    const response = new Response();
    const requested = await server.readAuthorizationRequest(authorizeRequest(), response, { user: ALICE });
    await server.decide(requested, { user: ALICE }, response);
    expect(methods(testModel)).toEqual(['getClient', 'validateScope', 'saveAuthorizationCode']);
  });

  it.each<[string, string | string[], string | undefined]>([
    ['a part of it', 'read', 'read'],
    ['a part of it, as a list', ['write'], 'write'],
    ['all of it, in another order', 'write read', 'read write'],
    ['more than was requested', 'admin read', 'read'],
    ['nothing of it', '', undefined],
  ])('grants the part of the requested scope that the user agreed to: %s', async (_, scope, granted) => {
    const { testModel, decide } = await reading({ scope: 'read write' });
    await decide({ user: ALICE, scope });
    expect((savedCode(testModel) as { scope: unknown }).scope).toBe(granted);
  });

  it.each(
    [
      NO,
      new LoginRequiredError('Login required: nobody is signed in'),
      new ConsentRequiredError('Consent required: the user has to be asked'),
      new InteractionRequiredError('Interaction required: the user has to choose'),
    ].map((error) => [error.name, error] as const),
  )('redirects with the error of the decision: %s', async (_, error) => {
    const { testModel, decide } = await reading();
    const { error: rejected, location, reported } = await decide({ error });
    expect(rejected).toBe(error);
    expect(location).toMatch(`${CALLBACK}?`);
    expect(reported).toEqual({ error: error.name, error_description: error.message, state: 'xyz' });
    expect(methods(testModel)).toEqual(['getClient']);
  });

  it('redirects with an access token in the fragment for response_type=token', async () => {
    const testModel = createTestModel();
    testModel.clients.set('web', { ...WEB, grants: ['implicit'] });
    const { decide } = await reading({ response_type: 'token', scope: 'read write' }, {}, testModel);
    const { location } = await decide({ user: ALICE, scope: 'write' });
    expect(location).toMatch(/^https:\/\/app\.example\/cb#access_token=\w+&token_type=Bearer&.*scope=write&state=xyz$/);
    expect(methods(testModel)).toEqual(['getClient', 'validateScope', 'saveToken']);
  });

  it('uses the options that the request was read with', async () => {
    const { testModel, server, response } = await reading();
    // `issuer` identifies the server, so a single call cannot set it.
    const options = { authorizationCodeLifetime: 60, issuer: 'https://as.example' };
    const requested = await server.readAuthorizationRequest(authorizeRequest(), response, options);
    const { reported } = await decided(server, requested, { user: ALICE }, response);
    expect(reported).not.toHaveProperty('iss');
    const { expiresAt } = savedCode(testModel) as { expiresAt: Date };
    expect(expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60_000);
  });

  it('ignores changes of the application to the authorization request', async () => {
    const { testModel, requested, decide } = await reading({ code_challenge: CHALLENGE });
    Object.assign(requested, {
      scope: 'read write',
      redirectUri: 'https://evil.example/',
      codeChallenge: '',
      state: 'abc',
    });
    const { location, reported } = await decide({ user: ALICE });
    expect(location).toMatch(`${CALLBACK}?`);
    expect(reported).toMatchObject({ state: 'xyz' });
    expect(savedCode(testModel)).toMatchObject({ scope: 'read', redirectUri: CALLBACK, codeChallenge: CHALLENGE });
    expect(savedCode(testModel)).not.toHaveProperty('resource');
  });

  it('accepts an authorization request that can be serialized to JSON for a session', async () => {
    const server = new OAuth2Server({ model: createTestModel().model });
    const native: Record<string, unknown> = {};
    const request = Object.assign(authorizeRequest(), { native: Object.assign(native, { self: native }) });
    const requested = await server.readAuthorizationRequest(request, new Response());
    expect(requested.request).toBe(request);
    expect(JSON.parse(JSON.stringify(requested))).toMatchObject({ client: { id: 'web' }, state: 'xyz', data: {} });
  });
});

describe('decide() if a feature requires an interaction', () => {
  /** A feature that requires interactions, and counts how often it decides. */
  function requiring(required: RequiredInteraction) {
    const calls: AuthenticationState[] = [];
    const feature: Feature = {
      id: 'requiring',
      install: () => ({
        authorization: {
          requireInteraction(_request, authentication) {
            calls.push(authentication);
            return required;
          },
        },
      }),
    };
    return { calls, options: { features: [feature] } as Partial<OAuth2ServerOptions> };
  }
  const signIn = { authTime: new Date() };

  it('returns login_required and issues no code if a login is required and the application has not asked', async () => {
    const { calls, options } = requiring({ login: true });
    const { testModel, decide } = await reading({}, options);
    const { error, reported } = await decide({ user: ALICE, signIn });
    expect([error?.name, reported]).toEqual(['login_required', expect.objectContaining({ error: 'login_required' })]);
    expect([calls, testModel.codes.size]).toEqual([[{ user: ALICE, signIn }], 0]);
  });

  it.each<[string, RequiredInteraction]>([
    ['nothing', {}],
    ['consent, which the decision gives', { consent: true }],
  ])('issues a code if the features require %s', async (_, required) => {
    const { calls, options } = requiring(required);
    const { testModel, decide } = await reading({}, options);
    await decide({ user: ALICE });
    expect([calls.length, testModel.codes.size]).toEqual([1, 1]);
  });

  it('does not ask the features again if the application has called requiredInteraction()', async () => {
    const { calls, options } = requiring({ login: true });
    const { testModel, server, requested, response, decide } = await reading({}, options);
    expect(await server.requiredInteraction(requested, { user: ALICE }, response)).toEqual({ login: true });
    await decide({ user: ALICE });
    expect([calls.length, testModel.codes.size]).toEqual([1, 1]);
  });

  it('does not ask the features if the request is refused', async () => {
    const { calls, options } = requiring({ login: true });
    const { decide } = await reading({}, options);
    expect((await decide({ user: ALICE, error: NO })).error).toBe(NO);
    expect(calls).toEqual([]);
  });
});

describe('decide() with invalid arguments', () => {
  it('rejects an authorization request that is a copy, or that another server has read', async () => {
    const [one, other] = [await reading(), await reading()];
    for (const requested of [{ ...one.requested }, other.requested, undefined, null, {}]) {
      const response = new Response();
      const { error } = await decided(one.server, requested as never, { user: ALICE }, response);
      expect(summary(error)).toMatch(/^500 invalid_argument: .*readAuthorizationRequest/);
      expect(response).toMatchObject({ status: 500, body: { error: 'server_error' } });
    }
    expect([...one.testModel.codes, ...other.testModel.codes]).toEqual([]);
  });

  it.each([{}, { user: undefined }, { user: null }, { error: undefined }, null, undefined])(
    'returns server_error to the client for the decision %p',
    async (decision) => {
      const { testModel, decide } = await reading();
      const { error, reported } = await decide(decision as never);
      expect(error?.name).toBe('invalid_argument');
      expect(reported).toMatchObject({ error: 'server_error', state: 'xyz' });
      expect(JSON.stringify(reported)).not.toContain('user');
      expect(methods(testModel)).toEqual(['getClient']);
    },
  );

  it('rejects a response that is not an instance of Response', async () => {
    const { testModel, server, requested } = await reading();
    await expect(server.decide(requested, { user: ALICE }, {} as never)).rejects.toThrow('instance of Response');
    expect(testModel.codes.size).toBe(0);
  });

  it('redirects with server_error, without details, if the model fails', async () => {
    const failing = createTestModel({ saveAuthorizationCode: () => Promise.reject(new Error('password=x')) });
    const { decide } = await reading({}, {}, failing);
    const { error, reported } = await decide({ user: ALICE });
    expect(error?.inner?.message).toBe('password=x');
    expect(reported).toMatchObject({ error: 'server_error', state: 'xyz' });
    expect(JSON.stringify(reported)).not.toContain('password');
  });
});

describe('decide() for an invalid request of a client that registered itself', () => {
  const id = `dcr_${'0'.repeat(32)}`;
  const isBad = (parameters: Parameters) => parameters.optional('example') === 'bad';
  const strict: Feature = {
    id: 'strict',
    install: () => ({
      authorization: {
        read(parameters) {
          if (isBad(parameters)) throw new InvalidRequestError('Invalid parameter: `example`');
        },
      },
    }),
  };

  it.each([
    ['for a scope that the client may not request', { scope: 'write' }],
    ['with a parameter that a feature rejects', { example: 'bad' }],
    ['with an unknown response type', { response_type: 'nonsense' }],
  ])('redirects with an error, and never issues a code: request %s', async (_, query) => {
    const testModel = createTestModel({ validateClientScope: (_client: unknown, scope: string) => scope === 'read' });
    testModel.clients.set(id, { ...WEB, id });
    const server = new OAuth2Server({ model: testModel.model, features: [strict] });
    const response = new Response();
    const request = authorizeRequest({ client_id: id, ...query });
    const error = await server.readAuthorizationRequest(request, response).catch((caught: unknown) => caught);
    expect([error, response.get('location')]).toEqual([expect.any(OAuthError), undefined]);
    const { authorizationRequest: requested } = deferredErrorOf(error)!;
    const granted = await decided(server, requested, { user: ALICE }, new Response());
    expect(granted.error?.message).toContain('can only be decided with an `error`');
    expect(testModel.codes.size).toBe(0);
    const { reported } = await decided(server, requested, { user: ALICE, error: error as OAuthError }, response);
    expect(reported).toMatchObject({ error: (error as OAuthError).name, state: 'xyz' });
  });
});

describe('the event of decide()', () => {
  const heard = async (decision: Decision) => {
    const events: [string, Record<string, unknown>][] = [];
    const emit = (name: string, payload: object) => events.push([name, { ...payload }]);
    await (await reading({}, { events: { emit } })).decide(decision);
    return events.filter(([name]) => name !== 'code.issued');
  };
  const requested = { endpoint: 'authorize', clientId: 'web', responseType: 'code', scope: 'read', userId: 'alice' };

  it.each<[string, string, Decision, object]>([
    ['the user agreed', 'authorization.granted', { user: ALICE }, {}],
    ['the user denied access', 'consent.denied', { user: ALICE, error: NO }, { error: 'access_denied' }],
    [
      'the user was not asked',
      'authorization.refused',
      { user: ALICE, error: new ConsentRequiredError('Consent required') },
      { error: 'consent_required' },
    ],
  ])('reports that %s: %s', async (_, name, decision, more) => {
    expect(await heard(decision)).toEqual([[name, expect.objectContaining({ ...requested, ...more })]]);
  });

  it('has no user if no user is known', async () => {
    const [[name, payload]] = (await heard({ error: NO })) as [[string, Record<string, unknown>]];
    expect([name, payload['userId']]).toEqual(['consent.denied', undefined]);
  });
});
