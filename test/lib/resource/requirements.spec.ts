import { describe, expect, it } from '@jest/globals';
import { type EventSink, OAuth2Server, Request, Response, type StepUp } from 'nest-oauth2/server';

import { addAccessToken, createTestModel } from '../../support/models/model.js';
import { runOperation, resourceRequest, summary } from '../../support/clients/requests.js';

// Tests of the requirements that one call of authenticate() can set in addition to `scope`.

const authenticate = async (options: object, token: object = {}, overrides: object = {}) => {
  const testModel = createTestModel(overrides);
  addAccessToken(testModel, token);
  const outcome = await runOperation(testModel, 'authenticate', resourceRequest(), options);
  return { ...outcome, calls: testModel.calls, summary: summary(outcome.error) };
};

/** The synthetic user of a client credentials token. */
const CLIENT_ITSELF = { id: 'oauth2:client:web' };
const now = () => Math.floor(Date.now() / 1000);

/** Returns a class whose instances have these values as getters. */
function classOf(values: object): new () => object {
  const Options = class {};
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(Options.prototype, name, { get: () => value as unknown });
  }
  return Options;
}

const hidden = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value: value as unknown }]));

const SCOPE_MISSING = '403 insufficient_scope: Insufficient scope: authorized scope is insufficient';
const NO_USER =
  '403 insufficient_scope: Insufficient scope: a user is required, and this token belongs to the client itself: send one that a user has authorized';
const NO_ROLE = '403 insufficient_scope: Insufficient scope: the user lacks a required role';
const WEAK = '401 insufficient_user_authentication: Insufficient user authentication: a stronger login is required';
const OLD = '401 insufficient_user_authentication: Insufficient user authentication: a more recent login is required';

describe('authenticate() with `anyScope`', () => {
  it.each([
    [['write', 'admin'], 'read write'],
    [['write', 'admin'], ['admin']],
    [['read'], 'read'],
  ])('set to %j accepts a token with the scope %j', async (anyScope, scope) => {
    const { error, headers } = await authenticate({ anyScope }, { scope });
    expect(error).toBeUndefined();
    expect(headers).toEqual({
      'x-accepted-oauth-scopes': anyScope.join(' '),
      'x-oauth-scopes': [scope].flat().join(' '),
    });
  });

  it.each([['read'], [['read', 'writer']], [''], [[]], [undefined], [null]])(
    'rejects a token with the scope %j, and names the accepted scopes (RFC 6750 §3)',
    async (scope) => {
      const outcome = await authenticate({ anyScope: ['write', 'admin'] }, { scope });
      expect(outcome.summary).toBe(SCOPE_MISSING);
      expect(outcome.headers).toEqual({
        'www-authenticate': 'Bearer realm="Service",error="insufficient_scope",scope="write admin"',
        'x-accepted-oauth-scopes': 'write admin',
      });
    },
  );

  it('requires all values of `scope` in addition', async () => {
    const options = { scope: 'read share', anyScope: ['write', 'admin'] };
    const challenge = async (scope: string) => (await authenticate(options, { scope })).headers['www-authenticate'];
    expect(await challenge('read write')).toContain('scope="read share"');
    expect(await challenge('read share')).toContain('scope="write admin"');
    expect(await challenge('read share admin')).toBeUndefined();
  });

  it('sets no scope headers if their options are off', async () => {
    const off = { addAcceptedScopesHeader: false, addAuthorizedScopesHeader: false };
    expect((await authenticate({ anyScope: ['read'], ...off })).headers).toEqual({});
    const { headers } = await authenticate({ anyScope: ['admin'], ...off });
    expect(Object.keys(headers)).toEqual(['www-authenticate']);
  });

  it('calls verifyScope() of the model with one value at a time, until one is accepted', async () => {
    const requested: unknown[] = [];
    const verifyScope = (_token: object, scope: unknown) => {
      requested.push(scope);
      return Promise.resolve(String(scope) === 'b');
    };
    const options = { anyScope: ['a', 'b', 'c'] };
    expect((await authenticate(options, {}, { verifyScope })).summary).toBe('no error');
    expect((await authenticate({ ...options, scopeFormat: 'array' }, {}, { verifyScope })).summary).toBe('no error');
    expect((await authenticate({ anyScope: ['a'] }, {}, { verifyScope })).summary).toBe(SCOPE_MISSING);
    expect(requested).toEqual(['a', 'b', ['a'], ['b'], 'a']);
  });

  it('fails if verifyScope() of the model rejects', async () => {
    const verifyScope = () => Promise.reject(new Error('SELECT * FROM tokens'));
    const { error, headers } = await authenticate({ anyScope: ['read'] }, {}, { verifyScope });
    expect(error).toMatchObject({ name: 'server_error', status: 503 });
    expect(headers).toEqual({});
  });
});

describe('authenticate() with `userRequired`', () => {
  it('accepts the token of a user', async () => {
    expect((await authenticate({ userRequired: true })).summary).toBe('no error');
  });

  it('rejects a client credentials token by a challenge without scope', async () => {
    const outcome = await authenticate({ userRequired: true }, { user: CLIENT_ITSELF });
    expect(outcome.summary).toBe(NO_USER);
    expect(outcome.headers).toEqual({ 'www-authenticate': 'Bearer realm="Service",error="insufficient_scope"' });
  });

  it('sends the scope headers even if the token is rejected', async () => {
    const outcome = await authenticate({ scope: 'read', userRequired: true }, { user: CLIENT_ITSELF, scope: 'read' });
    expect(outcome.summary).toBe(NO_USER);
    expect(outcome.headers).toEqual({
      'www-authenticate': 'Bearer realm="Service",error="insufficient_scope"',
      'x-accepted-oauth-scopes': 'read',
      'x-oauth-scopes': 'read',
    });
  });

  it('requires nothing if it is false', async () => {
    expect((await authenticate({ userRequired: false }, { user: CLIENT_ITSELF })).summary).toBe('no error');
  });
});

describe('authenticate() with `roles`', () => {
  it.each([[['admin']], [['editor', 'viewer']]])('accepts a user with the roles %j', async (roles) => {
    const { error } = await authenticate({ roles: ['admin', 'editor'] }, { user: { id: 'alice', roles } });
    expect(error).toBeUndefined();
  });

  it.each([[['viewer']], [[]], [undefined], ['admin editor'], [[null, { name: 'admin' }]]])(
    'rejects a user with the roles %j by a challenge without scope',
    async (roles) => {
      const outcome = await authenticate({ roles: ['admin', 'editor'] }, { user: { id: 'alice', roles } });
      expect(outcome.summary).toBe(NO_ROLE);
      expect(outcome.headers).toEqual({ 'www-authenticate': 'Bearer realm="Service",error="insufficient_scope"' });
    },
  );
});

describe('authenticate() with `stepUp`', () => {
  const PHR = 'urn:example:phr';
  const MFA = 'urn:example:mfa';

  it.each<[StepUp, string, object]>([
    [{ acr: [PHR, MFA] }, 'with one of these acr', { acr: MFA }],
    [{ maxAge: 300 }, 'of a login 290 seconds ago', { auth_time: now() - 290 }],
    [{ maxAge: 300 }, 'of a login 30 seconds in the future', { auth_time: now() + 30 }],
    [{ acr: [MFA], maxAge: 300 }, 'of a login now with this acr', { acr: MFA, auth_time: now() }],
  ])('set to %j accepts a token %s', async (stepUp, _, token) => {
    expect((await authenticate({ stepUp }, token)).summary).toBe('no error');
  });

  it.each<[StepUp, string, object, string, string]>([
    [{ acr: [PHR, MFA] }, 'with another acr', { acr: 'urn:example:pwd' }, WEAK, `acr_values="${PHR} ${MFA}"`],
    [{ acr: [MFA] }, 'with the beginning of this acr', { acr: 'urn:example' }, WEAK, `acr_values="${MFA}"`],
    [{ acr: [MFA] }, 'with a list of acr', { acr: [MFA] }, WEAK, `acr_values="${MFA}"`],
    [{ acr: [MFA], maxAge: 300 }, 'without acr', { auth_time: now() }, WEAK, `acr_values="${MFA}",max_age="300"`],
    [{ acr: [MFA], maxAge: 300 }, 'without auth_time', { acr: MFA }, OLD, `acr_values="${MFA}",max_age="300"`],
    [{ maxAge: 300 }, 'of a login 310 seconds ago', { auth_time: now() - 310 }, OLD, 'max_age="300"'],
    [{ maxAge: 300 }, 'of a login 120 seconds in the future', { auth_time: now() + 120 }, OLD, 'max_age="300"'],
    [{ maxAge: 300 }, 'with text as auth_time', { auth_time: 'yesterday' }, OLD, 'max_age="300"'],
    [{ maxAge: 300 }, 'without auth_time', {}, OLD, 'max_age="300"'],
  ])('set to %j rejects a token %s (RFC 9470 §3)', async (stepUp, _, token, expected, parameters) => {
    const outcome = await authenticate({ stepUp }, token);
    expect(outcome.summary).toBe(expected);
    expect(outcome.headers).toEqual({
      'www-authenticate': `Bearer realm="Service",error="insufficient_user_authentication",${parameters}`,
    });
  });

  it('sends no scope in its challenge, and still sends the scope headers', async () => {
    const { headers } = await authenticate({ scope: 'read', stepUp: { maxAge: 60 } }, { scope: 'read' });
    expect(headers).toEqual({
      'www-authenticate': 'Bearer realm="Service",error="insufficient_user_authentication",max_age="60"',
      'x-accepted-oauth-scopes': 'read',
      'x-oauth-scopes': 'read',
    });
  });
});

describe('the requirements of authenticate()', () => {
  const ALL = { scope: 'read', anyScope: ['write'], userRequired: true, roles: ['admin'], stepUp: { maxAge: 60 } };

  it('are verified in the order scope, any scope, user, roles, step-up', async () => {
    const summaries = [];
    for (const token of [
      { scope: '', user: CLIENT_ITSELF },
      { scope: 'read', user: CLIENT_ITSELF },
      { scope: 'read write', user: CLIENT_ITSELF },
      { scope: 'read write' },
      { scope: 'read write', user: { id: 'alice', roles: ['admin'] } },
      { scope: 'read write', user: { id: 'alice', roles: ['admin'] }, auth_time: now() },
    ]) {
      summaries.push((await authenticate(ALL, token)).summary);
    }
    expect(summaries).toEqual([SCOPE_MISSING, SCOPE_MISSING, NO_USER, NO_ROLE, OLD, 'no error']);
  });

  it('are verified only for a valid token', async () => {
    const { error, headers } = await runOperation(createTestModel(), 'authenticate', resourceRequest(), ALL);
    expect(summary(error)).toBe('401 invalid_token: Invalid token: access token is invalid');
    expect(headers).toEqual({
      'www-authenticate': 'Bearer realm="Service",error="invalid_token"',
      'x-accepted-oauth-scopes': 'read',
    });
  });

  it('are reported in an event with the reason if a token does not meet them', async () => {
    const testModel = createTestModel();
    addAccessToken(testModel, { scope: 'read', user: CLIENT_ITSELF });
    const reported: object[] = [];
    const events = { emit: (_: string, payload: object) => reported.push(payload) } as unknown as EventSink;
    const server = new OAuth2Server({ model: testModel.model, events });
    for (const options of [
      { anyScope: ['write', 'admin'] },
      { scope: 'read', userRequired: true },
      { roles: ['admin'] },
      { stepUp: { acr: ['high'] } },
    ]) {
      await expect(server.authenticate(resourceRequest(), new Response(), options)).rejects.toThrow('Insufficient');
    }
    expect(reported).toMatchObject([
      { error: 'insufficient_scope', scope: 'write admin', expected: 'write admin', given: 'read' },
      { error: 'insufficient_scope', scope: 'read', given: 'a client credentials token' },
      { error: 'insufficient_scope', expected: 'admin' },
      { error: 'insufficient_user_authentication', expected: 'high' },
    ]);
  });

  it.each<[string, object, string]>([
    ['an empty list', { anyScope: [] }, '`anyScope` must be a non-empty list of scope values'],
    ['text', { anyScope: 'read' }, '`anyScope` must be a non-empty list of scope values'],
    ['two scope values in one', { anyScope: ['read write'] }, '`anyScope` must be a non-empty list of scope values'],
    ['a missing value', { anyScope: [undefined] }, '`anyScope` must be a non-empty list of scope values'],
    ['null', { anyScope: null }, '`anyScope` must be a non-empty list of scope values'],
    ['text', { userRequired: 'false' }, '`userRequired` must be true or false'],
    ['null', { userRequired: null }, '`userRequired` must be true or false'],
    ['an empty list', { roles: [] }, '`roles` must be a non-empty list of role names'],
    ['text', { roles: 'admin' }, '`roles` must be a non-empty list of role names'],
    ['an empty name', { roles: [''] }, '`roles` must be a non-empty list of role names'],
    ['true', { stepUp: true }, '`stepUp` must be an object'],
    ['null', { stepUp: null }, '`stepUp` must be an object'],
    ['an empty object', { stepUp: {} }, '`stepUp` must set `acr`, `maxAge` or both'],
    ['an unknown name', { stepUp: { maxage: 5 } }, 'unknown option `maxage` of `stepUp`'],
    ['text for acr', { stepUp: { acr: 'urn:example:mfa' } }, '`stepUp.acr` must be a non-empty list of names'],
    ['an empty list for acr', { stepUp: { acr: [] } }, '`stepUp.acr` must be a non-empty list of names'],
    ['a quotation mark in acr', { stepUp: { acr: ['a"b'] } }, '`stepUp.acr` must be a non-empty list of names'],
    ['zero for maxAge', { stepUp: { maxAge: 0 } }, '`stepUp.maxAge` must be a whole number of seconds above 0'],
    ['text for maxAge', { stepUp: { maxAge: '60' } }, '`stepUp.maxAge` must be a whole number of seconds above 0'],
    ['NaN for maxAge', { stepUp: { maxAge: NaN } }, '`stepUp.maxAge` must be a whole number of seconds above 0'],
  ])('cause a configuration error for %s: %j', async (_, options, message) => {
    const outcome = await authenticate(options);
    expect(outcome.error).toMatchObject({ name: 'invalid_argument', message: expect.stringContaining(message) });
    expect(outcome.status).toBe(500);
    expect(outcome.calls).toEqual([]);
  });

  it.each(Object.entries(ALL).slice(1))('are rejected as options of OAuth2Server: %s', (name, value) => {
    const options = { model: createTestModel().model, [name]: value };
    expect(() => new OAuth2Server(options)).toThrow(
      `the option \`${name}\` cannot be set for the whole server: set it in \`authenticate(request, response, { ${name} })\``,
    );
  });

  it.each<[string, (requirements: object) => object]>([
    ['inherited properties', (requirements) => Object.create(requirements) as object],
    ['getters of a class', (requirements) => new (classOf(requirements))()],
    ['not enumerable', (requirements) => Object.create(null, hidden(requirements)) as object],
  ])('are enforced even if they are %s', async (_, create) => {
    for (const [name, value] of [...Object.entries(ALL), ['scope', 'admin'] as const]) {
      const options = Object.assign(create({ [name]: value }), { addAcceptedScopesHeader: false });
      expect((await authenticate(options, { user: CLIENT_ITSELF, scope: '' })).status).toBeGreaterThanOrEqual(401);
    }
  });

  it('are ignored if they are undefined', async () => {
    const unset = { anyScope: undefined, userRequired: undefined, roles: undefined, stepUp: undefined };
    expect((await authenticate(unset, { user: CLIENT_ITSELF, scope: '' })).summary).toBe('no error');
  });
});

describe('an options object shared by several calls of authenticate()', () => {
  /** Creates a server that counts how often the options of a call are validated. */
  function counting() {
    const testModel = createTestModel();
    addAccessToken(testModel, { scope: 'read', user: { id: 'alice', roles: ['viewer'] } });
    const counter = { made: 0 };
    const feature = { id: 'counting', install: () => ({ callMisconfigurations: () => ((counter.made += 1), []) }) };
    const server = new OAuth2Server({ model: testModel.model, features: [feature] });
    const summaryOf = (options: object) =>
      server.authenticate(new Request(resourceRequest()), new Response(), options).then(
        () => 'no error',
        (error: Error) => error.message,
      );
    return { counter, summaryOf };
  }

  it('is validated once if its values do not change', async () => {
    const { counter, summaryOf } = counting();
    const options = { anyScope: ['read'], stepUp: { acr: ['high'] } };
    for (let call = 0; call < 3; call++) expect(await summaryOf(options)).toContain('a stronger login is required');
    expect(counter.made).toBe(1);
  });

  it.each<[string, () => object]>([
    ['text and booleans', () => ({ scope: 'read', userRequired: true, addAcceptedScopesHeader: false })],
    ['lists of texts', () => ({ anyScope: ['read'], roles: ['viewer', 'editor'] })],
  ])('is validated once if each call creates it with the same %s', async (_, create) => {
    const { counter, summaryOf } = counting();
    for (let call = 0; call < 3; call++) expect(await summaryOf(create())).toBe('no error');
    expect(counter.made).toBe(1);
  });

  it('is validated again after calls with many other options', async () => {
    const { counter, summaryOf } = counting();
    const calls = Array.from({ length: 40 }, (_, call) => ({ anyScope: ['read', `other-${call}`] }));
    for (const options of [...calls, ...calls]) expect(await summaryOf(options)).toBe('no error');
    expect(counter.made).toBe(80);
  });

  it.each<[string, object, object]>([
    ['another role', { scope: 'read', roles: ['viewer'] }, { scope: 'read', roles: ['admin'] }],
    ['one role more', { scope: 'read', roles: ['admin', 'viewer'] }, { scope: 'read', roles: ['admin'] }],
    ['a list instead of a text', { scope: 'read', anyScope: ['read'] }, { scope: ['admin'], anyScope: ['read'] }],
    ['another type', { userRequired: true, scope: 'read' }, { userRequired: 'true', scope: 'read' }],
    [
      'a hidden requirement',
      { scope: 'read', addAcceptedScopesHeader: true },
      Object.defineProperties({ scope: 'read', addAcceptedScopesHeader: true }, hidden({ roles: ['admin'] })),
    ],
    [
      'an inherited requirement',
      { scope: 'read', addAcceptedScopesHeader: true },
      Object.assign(Object.create({ roles: ['admin'] }) as object, { scope: 'read', addAcceptedScopesHeader: true }),
    ],
  ])('does not allow a later call with %s', async (_, first, second) => {
    const { summaryOf } = counting();
    expect(await summaryOf(first)).toBe('no error');
    expect(await summaryOf(second)).not.toBe('no error');
  });

  it.each<[string, () => { options: object; change: () => void }]>([
    [
      'is not frozen',
      () => {
        const options = { anyScope: ['read'] };
        return { options, change: () => (options.anyScope = ['admin']) };
      },
    ],
    [
      'contains a list that is not frozen',
      () => {
        const anyScope = ['read'];
        return { options: Object.freeze({ anyScope }), change: () => (anyScope[0] = 'admin') };
      },
    ],
    [
      'contains a nested list that is not frozen',
      () => {
        const acr = ['high'];
        const roles = Object.freeze(['viewer']);
        return { options: Object.freeze({ roles, stepUp: Object.freeze({ acr }) }), change: () => (acr[0] = 'higher') };
      },
    ],
    [
      'has a getter',
      () => {
        let anyScope = ['read'];
        const options = Object.freeze({
          get anyScope() {
            return anyScope;
          },
        });
        return { options, change: () => (anyScope = ['admin']) };
      },
    ],
  ])('is validated again after a change if it %s', async (_, create) => {
    const { counter, summaryOf } = counting();
    const { options, change } = create();
    const before = await summaryOf(options);
    change();
    expect([before, await summaryOf(options)]).not.toEqual(['no error', 'no error']);
    expect(counter.made).toBe(2);
  });

  it('can be frozen and contain itself', async () => {
    const { summaryOf } = counting();
    const options: Record<string, unknown> = { anyScope: Object.freeze(['admin']) };
    options['self'] = options;
    expect(await summaryOf(Object.freeze(options))).toContain('authorized scope is insufficient');
  });
});
