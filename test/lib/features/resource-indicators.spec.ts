import { describe, expect, it } from '@jest/globals';
import {
  introspection,
  resourceIndicators,
  type ResourceIndicatorOptions,
  type ResourceModel,
  type Feature,
} from 'nest-oauth2/features';
import { OAuth2Server, Request } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import * as fc from '../../support/environment/fast-check.js';
import { callEndpoint } from '../../support/clients/call-endpoint.js';
import {
  addAccessToken,
  addCode,
  addRefreshToken,
  ALICE,
  CALLBACK,
  createTestModel,
  later,
  SECRET,
  WEB,
} from '../../support/models/model.js';
import {
  runOperation,
  authorizeRequest,
  type Outcome,
  signedIn,
  summary,
  tokenRequest,
} from '../../support/clients/requests.js';

const NOTES = 'https://api.example/notes';
const MAIL = 'https://api.example/mail';
const FAR = 'urn:example:far';
const RESOURCES = [NOTES, MAIL, FAR];

type Parameters = Record<string, unknown>;

const make = (model: object, given: ResourceIndicatorOptions = {}, more: object = {}) =>
  new OAuth2Server({
    model: model as never,
    features: [resourceIndicators({ resources: RESOURCES, ...given })],
    ...more,
  });

const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'refresh' };
const ITSELF = { grant_type: 'client_credentials', scope: 'read' };
const ALICES = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };

/** Requests a token, and returns the resources that were saved with it. */
async function obtain(testModel: ReturnType<typeof createTestModel>, server: OAuth2Server, parameters: Parameters) {
  const outcome = await runOperation(server, 'token', tokenRequest(parameters));
  const access = testModel.accessTokens.get(String(outcome.body['access_token']));
  return {
    ...outcome,
    resource: access?.['resource'] as unknown,
    refreshTokenResource: access?.['refreshTokenResource'] as unknown,
  };
}

const refusal = ({ status, body }: Outcome) => ({ status, ...body });
const target = (error_description: string) => ({ status: 400, error: 'invalid_target', error_description });

const UNKNOWN = target('Invalid target: `resource` is unknown, or not allowed for this client');
const NO_URI = target('Invalid target: `resource` must be an absolute URI without fragment');

describe('a token request with resources (RFC 8707)', () => {
  it.each<[string, Parameters, unknown]>([
    ['one resource, by client credentials', { ...ITSELF, resource: NOTES }, [NOTES]],
    ['a resource that is not a URL', { ...ITSELF, resource: FAR }, [FAR]],
    ['several resources, by client credentials', { ...ITSELF, resource: [MAIL, NOTES, MAIL] }, [MAIL, NOTES]],
    ['one resource, for a user', { ...ALICES, resource: MAIL }, [MAIL]],
    ['a resource in another spelling', { ...ITSELF, resource: 'HTTPS://API.example:443/notes' }, [NOTES]],
    ['a resource with a trailing slash', { ...ITSELF, resource: `${NOTES}/` }, [NOTES]],
  ])('obtains a token for %s', async (_, parameters, resource) => {
    const testModel = createTestModel();
    const obtained = await obtain(testModel, make(testModel.model), parameters);
    expect(obtained).toMatchObject({ status: 200, resource, refreshTokenResource: undefined });
    expect(Object.keys(obtained.body)).not.toContain('resource');
  });

  it.each<[string, unknown, object]>([
    ['an unknown resource', 'https://evil.example/', UNKNOWN],
    ['an unknown resource together with a known one', [NOTES, `${NOTES}//`], UNKNOWN],
    ['a path in place of a URI', '/notes', NO_URI],
    ['a fragment', `${NOTES}#part`, NO_URI],
    ['an empty fragment', `${NOTES}#`, NO_URI],
    ['a URI with spaces', 'https://api.example/no tes', NO_URI],
    ['an invalid URI', 'https://', NO_URI],
    ['a URI that is too long', `${NOTES}?${'x'.repeat(2000)}`, NO_URI],
    [
      'a value that is not a string',
      { 0: NOTES },
      { status: 400, error: 'invalid_request', error_description: 'Invalid parameter: `resource`' },
    ],
    [
      'more than 32 resources',
      Array.from({ length: 1000 }, (_, index) => `${NOTES}/${index}`),
      {
        status: 400,
        error: 'invalid_request',
        error_description: 'Repeated parameter: `resource`, more than 32 times',
      },
    ],
  ])('is rejected for %s, and nothing is saved', async (_, resource, wanted) => {
    const testModel = createTestModel();
    const server = make(testModel.model);
    for (const ground of [ITSELF, ALICES]) {
      expect(refusal(await runOperation(server, 'token', tokenRequest({ ...ground, resource })))).toEqual(wanted);
    }
    expect(testModel.accessTokens.size).toBe(0);
  });

  it('does not consume the code if its resource is rejected', async () => {
    const testModel = createTestModel();
    addCode(testModel, { resource: [NOTES] } as object);
    const server = make(testModel.model);
    const refused = await runOperation(server, 'token', tokenRequest({ ...CODE, resource: MAIL }));
    expect(refusal(refused)).toEqual(target('Invalid target: `resource` was not granted'));
    expect(testModel.codes.size).toBe(1);
    expect(await obtain(testModel, server, { ...CODE, resource: NOTES })).toMatchObject({
      status: 200,
      resource: [NOTES],
    });
    expect(testModel.codes.size).toBe(0);
  });

  it('emits an event with the known resources and the rejected one', async () => {
    const heard: object[] = [];
    const events = { emit: (name: string, payload: object) => name === 'token.refused' && heard.push(payload) };
    const testModel = createTestModel();
    await runOperation(
      make(testModel.model, {}, { events }),
      'token',
      tokenRequest({ ...ITSELF, resource: 'https://evil.example/' }),
    );
    expect(heard).toEqual([
      expect.objectContaining({ reason: 'resource is unknown', expected: RESOURCES, given: 'https://evil.example/' }),
    ]);
  });
});

describe('an authorization request with resources', () => {
  const clientOf = (testModel: ReturnType<typeof createTestModel>) =>
    testModel.clients.set('web', { ...WEB, grants: [...WEB.grants, 'implicit'] });

  it.each<[string, Parameters, unknown]>([
    ['the requested resources', { resource: [NOTES, MAIL] }, [NOTES, MAIL]],
    ['the requested resource', { resource: MAIL }, [MAIL]],
    ['the default resource if none is requested', {}, [FAR]],
  ])('obtains a code or a token for %s', async (_, named, resource) => {
    const testModel = createTestModel();
    clientOf(testModel);
    const server = make(testModel.model, { default: FAR }, signedIn);
    const coded = await runOperation(server, 'authorize', authorizeRequest(named));
    expect(testModel.codes.get(String(coded.redirected['code']))).toMatchObject({ resource });
    const given = await runOperation(server, 'authorize', authorizeRequest({ ...named, response_type: 'token' }));
    expect(testModel.accessTokens.get(String(given.redirected['access_token']))).toMatchObject({ resource });
    expect(Object.keys(given.redirected)).not.toContain('resource');
  });

  it.each<[string, Parameters, string]>([
    ['an unknown resource', { resource: 'https://evil.example/' }, UNKNOWN.error_description],
    ['a resource that is not a URI', { resource: '/notes' }, NO_URI.error_description],
    ['a missing resource that is required', {}, 'Missing parameter: `resource`'],
  ])('returns invalid_target to the client for %s', async (_, named, error_description) => {
    const testModel = createTestModel();
    const refused = await runOperation(make(testModel.model, {}, signedIn), 'authorize', authorizeRequest(named));
    expect(refused.response.get('location')).toMatch(/^https:\/\/app\.example\/cb\?/);
    expect(refused.redirected).toEqual({ error: 'invalid_target', error_description, state: 'xyz' });
    expect(testModel.codes.size).toBe(0);
  });
});

describe('a code or refresh token that was granted for resources', () => {
  const granted = { resource: [NOTES, MAIL] };

  it.each<[string, Parameters, unknown, unknown]>([
    ['all of them if none is requested', {}, [NOTES, MAIL], undefined],
    ['one of them if it is requested', { resource: MAIL }, [MAIL], [NOTES, MAIL]],
    ['all of them if all are requested', { resource: [NOTES, MAIL] }, [NOTES, MAIL], undefined],
  ])('issues an access token for %s, and a refresh token for all', async (_, named, resource, refreshTokenResource) => {
    const testModel = createTestModel();
    addCode(testModel, granted as object);
    addRefreshToken(testModel, granted as object);
    const server = make(testModel.model);
    for (const ground of [CODE, REFRESH]) {
      const obtained = await obtain(testModel, server, { ...ground, ...named });
      expect(obtained).toMatchObject({ status: 200, resource, refreshTokenResource });
      const next = { grant_type: 'refresh_token', refresh_token: obtained.body['refresh_token'] };
      expect(await obtain(testModel, server, next)).toMatchObject({ status: 200, resource: [NOTES, MAIL] });
    }
  });

  it('is rejected if the request also contains a resource that was not granted', async () => {
    const testModel = createTestModel();
    addRefreshToken(testModel, { resource: [NOTES] } as object);
    const requested = await runOperation(
      make(testModel.model),
      'token',
      tokenRequest({ ...REFRESH, resource: [NOTES, MAIL] }),
    );
    expect(refusal(requested)).toEqual(target('Invalid target: `resource` was not granted'));
    expect(testModel.refreshTokens.size).toBe(1);
  });

  it('gets tokens only for the granted resources that the server still knows, and is rejected if it knows none', async () => {
    const testModel = createTestModel();
    addRefreshToken(testModel, granted as object);
    const server = make(testModel.model, { resources: [MAIL] });
    const named = await runOperation(server, 'token', tokenRequest({ ...REFRESH, resource: NOTES }));
    expect(refusal(named)).toEqual(UNKNOWN);
    expect(await obtain(testModel, server, REFRESH)).toMatchObject({
      resource: [MAIL],
      refreshTokenResource: [NOTES, MAIL],
    });
    addRefreshToken(testModel, { resource: [NOTES] } as object);
    const nothing = await runOperation(server, 'token', tokenRequest(REFRESH));
    expect(refusal(nothing)).toEqual(target('Invalid target: none of the granted resources is still available'));
    expect(testModel.refreshTokens.has('refresh')).toBe(true);
  });

  it('can have its resources stored as a space-separated string', async () => {
    const testModel = createTestModel();
    addRefreshToken(testModel, { resource: `${NOTES} ${MAIL}` } as object);
    expect(await obtain(testModel, make(testModel.model), { ...REFRESH, resource: NOTES })).toMatchObject({
      resource: [NOTES],
      refreshTokenResource: [NOTES, MAIL],
    });
  });

  it('returns the same response to a retry, but not for another resource', async () => {
    const users = { findByCredentials: () => undefined, findById: () => ALICE };
    const store = new MemoryStore({ clients: [{ ...WEB, secret: SECRET, scopes: ['read'] }], users });
    const refresh = {
      refreshToken: 'refresh',
      refreshTokenExpiresAt: later(),
      grantId: 'family',
      scope: 'read',
      ...granted,
    };
    await store.saveToken({ accessToken: 'access', accessTokenExpiresAt: later(), ...refresh }, WEB, ALICE);
    const server = make(store, {}, { refreshTokenReuseInterval: 60 });
    const again = (resource: string) => runOperation(server, 'token', tokenRequest({ ...REFRESH, resource }));
    const first = await again(NOTES);
    expect((await again(NOTES)).body).toMatchObject({ access_token: first.body['access_token'] });
    const used = target('Invalid target: the refresh token was already used with another resource');
    expect(refusal(await again(MAIL))).toEqual(used);
    const next = { grant_type: 'refresh_token', refresh_token: first.body['refresh_token'], resource: MAIL };
    expect(await runOperation(server, 'token', tokenRequest(next))).toMatchObject({ status: 200 });
  });

  it('issues tokens for granted and known resources only, whatever is requested', async () => {
    const some = fc.subarray([...RESOURCES, 'https://evil.example/']);
    await fc.assert(
      fc.asyncProperty(some, some, some, fc.boolean(), async (had, requested, known, unrestricted) => {
        const testModel = createTestModel();
        addRefreshToken(testModel, (had.length > 0 ? { resource: had } : {}) as object);
        const resources = known.length > 0 ? known : ['https://other.example/'];
        const server = make(testModel.model, { resources, unrestricted });
        const { status, resource } = await obtain(testModel, server, { ...REFRESH, resource: requested });
        const got = (resource ?? []) as string[];
        expect(got.every((uri) => resources.includes(uri) && (had.length === 0 || had.includes(uri)))).toBe(true);
        expect(got.every((uri) => requested.length === 0 || requested.includes(uri))).toBe(true);
        const isForNothing = status === 200 && got.length === 0;
        expect(isForNothing && [unrestricted, had, requested]).toEqual(isForNothing && [true, [], []]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a request without resources', () => {
  const MISSING = target('Missing parameter: `resource`');

  it.each<[string, ResourceIndicatorOptions, unknown]>([
    ['the only resource of the server', { resources: [NOTES] }, [NOTES]],
    ['the default', { default: MAIL }, [MAIL]],
    ['all resources of the default', { default: [MAIL, FAR] }, [MAIL, FAR]],
    ['the default if tokens need no resource', { default: MAIL, unrestricted: true }, [MAIL]],
    ['no particular resource if tokens need none', { resources: [NOTES], unrestricted: true }, undefined],
  ])('is for %s', async (_, options, resource) => {
    const testModel = createTestModel();
    addRefreshToken(testModel);
    const server = make(testModel.model, options);
    for (const ground of [ITSELF, ALICES, REFRESH]) {
      expect(await obtain(testModel, server, ground)).toMatchObject({ status: 200, resource });
    }
  });

  it('is rejected if there are several resources and no default', async () => {
    const testModel = createTestModel();
    addRefreshToken(testModel);
    addCode(testModel);
    for (const ground of [ITSELF, ALICES, REFRESH, CODE]) {
      expect(refusal(await runOperation(make(testModel.model), 'token', tokenRequest(ground)))).toEqual(MISSING);
    }
    expect([testModel.accessTokens.size, testModel.refreshTokens.size, testModel.codes.size]).toEqual([0, 1, 1]);
  });

  it('is for no particular resource, so that each refresh can request a different one', async () => {
    const testModel = createTestModel();
    addRefreshToken(testModel);
    const server = make(testModel.model);
    let refresh_token: unknown = 'refresh';
    for (const resource of [NOTES, MAIL]) {
      const obtained = await obtain(testModel, server, { ...REFRESH, refresh_token, resource });
      expect(obtained).toMatchObject({ resource: [resource], refreshTokenResource: [] });
      refresh_token = obtained.body['refresh_token'];
    }
  });
});

describe('validateResource() of the model', () => {
  const requested: unknown[][] = [];
  const validateResource: ResourceModel['validateResource'] = (...args) => {
    requested.push(args);
    return args[0] === MAIL && args[1].id === 'web';
  };

  it('replaces the lists of resources, and receives client and user', async () => {
    requested.length = 0;
    const testModel = createTestModel({ validateResource } as object);
    const server = make(testModel.model, { default: MAIL });
    expect(refusal(await runOperation(server, 'token', tokenRequest({ ...ITSELF, resource: NOTES })))).toEqual(UNKNOWN);
    expect(await obtain(testModel, server, { ...ALICES, resource: MAIL })).toMatchObject({ resource: [MAIL] });
    expect(requested).toEqual([
      [NOTES, WEB, { id: 'client:web' }],
      [MAIL, WEB, ALICE],
    ]);
  });

  it('receives the user for a token that is issued by the authorization endpoint', async () => {
    const mine = (uri: string, _: unknown, user?: { id?: string }) => uri !== NOTES || !user || user.id === 'alice';
    const testModel = createTestModel({ validateResource: mine } as object);
    testModel.clients.set('web', { ...WEB, grants: [...WEB.grants, 'implicit'] });
    const grantTo = async (id: string, resource: unknown) => {
      const server = make(testModel.model, {}, { authenticateHandler: { handle: () => ({ id }) } });
      const { redirected } = await runOperation(
        server,
        'authorize',
        authorizeRequest({ resource, response_type: 'token' }),
      );
      const { error, access_token: token } = redirected;
      return error ?? testModel.accessTokens.get(String(token))?.['resource'];
    };
    expect(await grantTo('alice', NOTES)).toEqual([NOTES]);
    expect(await grantTo('mallory', NOTES)).toBe('invalid_target');
    // The token is limited to the resources that the user may access, as with a code.
    expect(await grantTo('mallory', [NOTES, MAIL])).toEqual([MAIL]);
  });

  it.each(['..', '.', '%2e%2E', '.%2e', '../b', '../../tenants/b?x=1'])(
    'is not called for a URI with the dot segments `%s` in its path',
    async (dots) => {
      const testModel = createTestModel({
        validateResource: (uri: string) => uri.startsWith('https://api.example/a/'),
      } as object);
      const server = make(testModel.model, { own: ['https://api.example/a', 'https://api.example/b'] });
      const outcome = await obtain(testModel, server, { ...ITSELF, resource: `https://api.example/a/${dots}` });
      expect(refusal(outcome)).toEqual(NO_URI);
      expect(testModel.accessTokens.size).toBe(0);
      const near = 'https://api.example/a/.b..?c=/../';
      expect(await obtain(testModel, server, { ...ITSELF, resource: near })).toMatchObject({ resource: [near] });
    },
  );

  it('needs no list of resources, and causes server_error without details if it rejects', async () => {
    const fails = () => Promise.reject(new Error('secret'));
    const testModel = createTestModel({ validateResource: fails } as object);
    const server = make(testModel.model, { resources: undefined });
    const { status, body } = await runOperation(server, 'token', tokenRequest({ ...ITSELF, resource: MAIL }));
    expect([status, body['error'], JSON.stringify(body).includes('secret')]).toEqual([503, 'server_error', false]);
  });
});

describe('the resource check of authenticate()', () => {
  const HERE = 'https://api.example/notes';

  /** Authenticates a request with an access token at a path. */
  async function visit(token: object, path: string, options: ResourceIndicatorOptions = {}, given: object = {}) {
    const testModel = createTestModel();
    addAccessToken(testModel, token);
    const server = make(testModel.model, { own: [HERE, 'https://api.example/notes/deep'], ...options });
    const headers = { authorization: 'Bearer access' };
    const request = new Request({ method: 'GET', headers, query: {}, body: {}, url: path });
    return await runOperation(server, 'authenticate', request, given);
  }

  const OTHER =
    '401 invalid_token: Invalid token: access token is for another resource: request one with the `resource` of this API';

  it.each<[string, object, string, string]>([
    ['accepts a token for this resource', { resource: [HERE] }, '/notes', 'no error'],
    ['accepts a token for a resource that contains the path', { resource: [HERE] }, '/notes/1?x=1', 'no error'],
    ['accepts a token for this and other resources', { resource: [MAIL, HERE] }, '/notes/1', 'no error'],
    [
      'accepts a token for this resource in another spelling',
      { resource: ['https://API.example/notes'] },
      '/notes',
      'no error',
    ],
    ['rejects a token for another resource', { resource: [MAIL] }, '/notes', OTHER],
    ['rejects a token for a resource above the one of the path', { resource: [HERE] }, '/notes/deep/1', OTHER],
    [
      'rejects a token for a resource below the one of the path',
      { resource: ['https://api.example/notes/deep'] },
      '/notes',
      OTHER,
    ],
    ['rejects a token for a resource at a path without resource', { resource: [HERE] }, '/notesome', OTHER],
    ['rejects a token without resources', {}, '/notes', OTHER],
    ['accepts a token without resources at a path without resource', {}, '/health', 'no error'],
  ])('%s', async (_, token, path, wanted) => {
    expect(summary((await visit(token, path)).error)).toBe(wanted);
  });

  it.each(['/NOTES/DEEP/1', '/notes/%64eep/1', '/notes/%44%45EP', '/notes\\deep#', '//notes//deep', '/notes/deep;/1'])(
    'requires the resource of the normalized path for the request path %s',
    async (path) => {
      expect(summary((await visit({ resource: [HERE] }, path)).error)).toBe(OTHER);
      expect(summary((await visit({}, path)).error)).toBe(OTHER);
      expect(summary((await visit({ resource: [`${HERE}/deep`] }, path)).error)).toBe('no error');
    },
  );

  it('accepts tokens without resources if `unrestricted` is true, but none for another resource', async () => {
    const options = { unrestricted: true };
    expect(summary((await visit({}, '/notes', options)).error)).toBe('no error');
    expect(summary((await visit({ resource: [MAIL] }, '/notes', options)).error)).toBe(OTHER);
  });

  it('runs before the scope check, and its challenge contains no resource or scope', async () => {
    const refused = await visit({ resource: [MAIL], scope: 'read' }, '/notes', {}, { scope: 'admin' });
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="Service",error="invalid_token"');
  });
});

describe('introspection with resource indicators', () => {
  it('returns the resources of a token as `aud`', async () => {
    const testModel = createTestModel();
    addAccessToken(testModel, { resource: [NOTES, MAIL] });
    const features = [resourceIndicators({ resources: RESOURCES }), introspection()];
    const server = new OAuth2Server({ model: testModel.model, features });
    const { body } = await callEndpoint(server, 'introspection', tokenRequest({ token: 'access' }));
    expect(body).toMatchObject({ active: true, aud: [NOTES, MAIL] });
  });
});

describe('resourceIndicators()', () => {
  const started = (options: ResourceIndicatorOptions, features: Feature[] = [], model = createTestModel().model) => {
    try {
      return void new OAuth2Server({ model, features: [resourceIndicators(options), ...features] });
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each<[string, ResourceIndicatorOptions, string | undefined]>([
    [
      'rejects a resource that is a path',
      { resources: ['/notes'] },
      'the resource `/notes` of `resourceIndicators()` must be an absolute URI without fragment',
    ],
    [
      'rejects a resource with a fragment',
      { resources: ['https://a.example/#x'] },
      'the resource `https://a.example/#x` of `resourceIndicators()` must be an absolute URI without fragment',
    ],
    [
      'rejects an `own` resource that is not a URL',
      { own: [FAR] },
      '`own` of `resourceIndicators()` must contain http or https URLs only. Got `urn:example:far`',
    ],
    [
      'rejects a misspelled option',
      { resource: [NOTES] } as object,
      'unknown option `resource` of `resourceIndicators()`: the options are `resources`, `own`, `default` and `unrestricted`. Did you mean `resources`?',
    ],
    [
      'rejects a string in place of a list',
      { resources: NOTES as never },
      `\`resources\` of \`resourceIndicators()\` must be a list of absolute URIs. Got '${NOTES}'`,
    ],
    [
      'rejects a missing list of resources',
      {},
      '`resourceIndicators()` knows no resource: set `resources`, or implement `validateResource()` in the model',
    ],
    [
      'rejects an unknown default',
      { resources: [NOTES], default: MAIL },
      '`default` of `resourceIndicators()` contains `https://api.example/mail`: add it to `resources`',
    ],
    ['accepts one resource', { resources: [NOTES] }, undefined],
    ['accepts one `own` resource', { own: [NOTES], default: NOTES }, undefined],
  ])('validates its options at start-up: %s', (_, options, wanted) => {
    expect(started(options)).toBe(wanted && `Invalid argument: ${wanted}`);
  });

  it('includes the resources that other features declare', async () => {
    const here: Feature = { id: 'here', resources: [NOTES] };
    expect(started({ default: NOTES }, [here])).toBeUndefined();
    const testModel = createTestModel();
    const server = new OAuth2Server({ model: testModel.model, features: [resourceIndicators(), here] });
    expect(await obtain(testModel, server, ITSELF)).toMatchObject({ resource: [NOTES] });
  });

  it('can be shared by two servers with different resources', async () => {
    const feature = resourceIndicators();
    const [one, two] = [createTestModel(), createTestModel()];
    const serve = (model: object, uri: string) =>
      new OAuth2Server({ model: model as never, features: [feature, { id: 'here', resources: [uri] }] });
    const [first, second] = [serve(one.model, NOTES), serve(two.model, MAIL)];
    expect(await obtain(one, first, ITSELF)).toMatchObject({ resource: [NOTES] });
    expect(await obtain(two, second, ITSELF)).toMatchObject({ resource: [MAIL] });
  });
});
