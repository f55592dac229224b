import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { clientItself, OAuth2Server, type TokenRequirements } from 'nest-oauth2/server';
import { resourceRequest, runOperation } from '../../support/clients/requests.js';

type Values = Record<string, unknown>;

const client = { id: 'app', grants: [] };
const accessTokenExpiresAt = new Date(Date.now() + 3_600_000);
const tokens: Values = {
  editor: { scope: 'read', user: { id: 'alice', roles: ['editor'] } },
  reader: { scope: 'read write', user: { id: 'bob' }, acr: 'mfa' },
  personal: { scope: 'read', user: { id: 'carol' }, token_use: 'personal_access_token' },
  machine: { scope: 'read', user: clientItself(client) },
};
const getAccessToken = (value: string) => ({ client, accessTokenExpiresAt, ...(tokens[value] as object) });
const newServer = () => new OAuth2Server({ model: { getAccessToken } as never });

/** All requirements. A new one does not compile until it is added here and generated below. */
const NAMES = ['scope', 'anyScope', 'userRequired', 'roles', 'personalTokens', 'stepUp'] as const;
type Requirements = Record<'scope' | keyof TokenRequirements, unknown>;
type Generators = Record<(typeof NAMES)[number], fc.Arbitrary<unknown>>;
const list = (...values: string[]) => fc.subarray(values, { minLength: 1 });
const GENERATORS: Generators & Record<keyof Requirements, unknown> = {
  scope: fc.oneof(fc.constantFrom('read', 'write', 'read write'), list('read', 'write')),
  anyScope: list('read', 'write', 'other'),
  userRequired: fc.boolean(),
  roles: list('editor', 'admin'),
  personalTokens: fc.boolean(),
  stepUp: fc.constantFrom({ acr: ['mfa'] }, { acr: ['other'] }, { maxAge: 60 }),
};
const requirements: fc.Arbitrary<Values> = fc.record(GENERATORS, { requiredKeys: [] });

/** Defines the properties of an object as getters, or as properties that a loop does not find. */
const define = (target: object, values: Values, { enumerable, isGetter }: { enumerable: boolean; isGetter: boolean }) =>
  Object.defineProperties(
    target,
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        { enumerable, configurable: true, ...(isGetter ? { get: () => value } : { value, writable: true }) },
      ]),
    ),
  );

const deepFreeze = (value: unknown): unknown => {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
};

/** A list whose elements differ from what a loop over it returns. */
class OddList extends Array<string> {
  override *[Symbol.iterator](): ArrayIterator<string> {
    yield 'admin';
  }
}

/** The forms in which an application may pass the same requirements. */
const FORMS: Record<string, (values: Values) => object> = {
  plain: (values) => ({ ...values }),
  reversed: (values) => Object.fromEntries(Object.entries(values).toReversed()),
  'with another option': (values) => ({ addAuthorizedScopesHeader: true, ...values }),
  'without a prototype': (values) => Object.assign(Object.create(null) as object, values),
  frozen: (values) => deepFreeze(structuredClone(values)) as object,
  'shallowly frozen': (values) => Object.freeze({ ...values }),
  getters: (values) => define({}, values, { enumerable: true, isGetter: true }),
  'hidden getters': (values) => define({}, values, { enumerable: false, isGetter: true }),
  hidden: (values) => define({}, values, { enumerable: false, isGetter: false }),
  'one hidden': ({ scope, ...others }) =>
    define(scope === undefined ? {} : { scope }, others, { enumerable: false, isGetter: false }),
  inherited: (values) => Object.create(values) as object,
  'inherited in part': ({ scope, ...others }) =>
    Object.assign(Object.create(others) as object, scope === undefined ? {} : { scope }),
  class: ({ scope, ...others }) => {
    class Requirements {
      scope = scope;
    }
    define(Requirements.prototype, others, { enumerable: false, isGetter: true });
    return new Requirements();
  },
  'frozen class': (values) => Object.freeze(FORMS['class']!(values)),
  proxy: (values) => new Proxy({ ...values }, {}),
  'proxy without keys': (values) => new Proxy({}, { get: (_, name) => values[name as string] }),
  'proxy with one key': ({ scope, ...others }) =>
    new Proxy(scope === undefined ? {} : { scope }, {
      get: (target, name) => others[name as string] ?? (target as Values)[name as string],
    }),
  'frozen proxy': ({ scope, ...others }) =>
    new Proxy(Object.freeze(scope === undefined ? {} : { scope }), {
      get: (target, name) => others[name as string] ?? (target as Values)[name as string],
    }),
  'odd list': ({ roles, ...others }) => ({
    ...others,
    ...(roles === undefined ? {} : { roles: OddList.from(roles as string[]) }),
  }),
};

/** Returns the requirements as plain options, with plain lists of the same elements. */
function plainCopy(options: object): object {
  const values = NAMES.map((name) => [name, (options as Values)[name]] as const);
  const given = values.filter(([, value]) => value !== undefined);
  return { addAcceptedScopesHeader: true, ...structuredCopy(Object.fromEntries(given)) };
}
const structuredCopy = (values: Values) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? Array.from({ length: value.length }, (_, index) => value[index] as unknown) : value,
    ]),
  );

async function outcomeOf(server: OAuth2Server, token: string, options: object) {
  const { error, headers } = await runOperation(server, 'authenticate', resourceRequest(`Bearer ${token}`), options);
  return { error: error?.name, challenge: headers['www-authenticate'] };
}

describe('authenticate() with options', () => {
  it('has the same result with and without cached operations, for every form of options', async () => {
    const call = fc.record({
      token: fc.constantFrom(...Object.keys(tokens)),
      form: fc.constantFrom(...Object.keys(FORMS)),
      values: requirements,
      /** Passes the object of an earlier call again. */
      again: fc.option(fc.nat(20)),
      /** Changes the object before the call, if that is possible. */
      change: fc.option(requirements),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 20 }), async (calls) => {
        const server = newServer();
        const used: object[] = [];
        for (const { token, form, values, again, change } of calls) {
          const options = (again === null ? undefined : used[again]) ?? FORMS[form]!(values);
          for (const [name, value] of Object.entries(change ?? {})) Reflect.set(options, name, value);
          used.push(options);
          const expected = await outcomeOf(newServer(), token, plainCopy(options));
          expect({ form, ...(await outcomeOf(server, token, options)) }).toEqual({ form, ...expected });
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each(Object.keys(FORMS))('rejects a token without a required role, as a repeated call: %s', async (form) => {
    const server = newServer();
    for (const scope of ['read', ['read']]) {
      for (let call = 0; call < 3; call++) {
        const options = FORMS[form]!({ scope, roles: ['admin'] });
        expect(await outcomeOf(server, 'editor', options)).toMatchObject({ error: 'insufficient_scope' });
      }
    }
    expect(await outcomeOf(server, 'editor', { scope: 'read' })).toMatchObject({ error: undefined });
  });

  it.each<[string, object, object]>([
    ['addAcceptedScopesHeader', { addAcceptedScopesHeader: false }, { 'x-accepted-oauth-scopes': undefined }],
    ['addAuthorizedScopesHeader', { addAuthorizedScopesHeader: false }, { 'x-oauth-scopes': undefined }],
    ['model', { model: { getAccessToken: () => undefined } }, { 'x-oauth-scopes': undefined }],
    ['scopeFormat', { scopeFormat: 'array' }, { 'x-verified': 'array' }],
  ])('uses the value of each call for the option %s', async (_, changed, expected) => {
    let verified: string | undefined;
    const verifyScope = (_token: unknown, scope: unknown) =>
      Boolean((verified = Array.isArray(scope) ? 'array' : 'text'));
    const server = new OAuth2Server({ model: { getAccessToken, verifyScope } as never });
    const call = async (options: object) => {
      const { headers } = await runOperation(server, 'authenticate', resourceRequest('Bearer reader'), options);
      const { 'x-accepted-oauth-scopes': accepted, 'x-oauth-scopes': authorized } = headers;
      return { 'x-accepted-oauth-scopes': accepted, 'x-oauth-scopes': authorized, 'x-verified': verified };
    };
    const unchanged = { 'x-accepted-oauth-scopes': 'read', 'x-oauth-scopes': 'read write', 'x-verified': 'text' };
    expect(await call({ scope: 'read' })).toEqual(unchanged);
    expect(await call({ scope: 'read', ...changed })).toMatchObject(expected);
    expect(await call({ scope: 'read' })).toEqual(unchanged);
  });

  it('uses the value of each call for the options events and allowBearerTokensInQueryString', async () => {
    const server = newServer();
    const events: string[] = [];
    const sink = { emit: (name: string) => Boolean(events.push(name)) };
    const call = (options: object) =>
      runOperation(server, 'authenticate', resourceRequest(null, { query: { access_token: 'reader' } }), options);
    expect((await call({ scope: 'read' })).error).toBeDefined();
    expect((await call({ scope: 'read', allowBearerTokensInQueryString: true })).error).toBeUndefined();
    expect((await call({ scope: 'read', events: sink })).error).toBeDefined();
    expect(events).toEqual(['access.refused']);
    expect((await call({ scope: 'read' })).error).toBeDefined();
    expect(events).toHaveLength(1);
  });
});
