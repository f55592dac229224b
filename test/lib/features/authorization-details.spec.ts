import { describe, expect, it, jest } from '@jest/globals';
import {
  type AuthorizationDetail,
  authorizationDetails,
  type AuthorizationDetailsOptions,
  decideDeviceRequest,
  deviceAuthorization,
  type Feature,
  findDeviceRequest,
  introspection,
  protectedResource,
  pushedRequests,
  registration,
  resourceIndicators,
  serverMetadata,
  shownDetails,
  tokenExchange,
} from 'nest-oauth2/features';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import * as fc from '../../support/environment/fast-check.js';
import { callEndpoint } from '../../support/clients/call-endpoint.js';
import {
  runOperation,
  authorizeRequest,
  basic,
  FORM,
  signedIn,
  summary,
  tokenRequest,
} from '../../support/clients/requests.js';

const CALLBACK = 'https://app.example/cb';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const BANK = 'https://bank.example/pay';

const PAYMENT = { type: 'payment', amount: { currency: 'EUR', value: '12.00' }, creditor: 'Ann' };
const ACCOUNT = { type: 'account', actions: ['balance', 'list'], locations: [`${BANK}/accounts`] };

const TYPES: AuthorizationDetailsOptions['types'] = {
  payment: {
    title: 'Pay',
    fields: ['amount', 'creditor', 'account'],
    required: ['amount'],
    validate: ({ amount }) => amount.value.length < 10,
  },
  account: { remember: true },
};

const CLIENT = {
  grants: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_GRANT, EXCHANGE, 'implicit'],
  redirectUris: [CALLBACK],
  scopes: ['read'],
  defaultScope: 'read',
  secret: 's3cret',
};

class Store extends MemoryStore {
  constructor() {
    const user = { id: 'alice' };
    super({
      clients: [
        { ...CLIENT, id: 'web' },
        { ...CLIENT, id: 'payer', authorizationDetailsTypes: ['payment'] },
        { ...CLIENT, id: 'asking', defaultScope: undefined },
      ],
      users: { findById: () => user, findByCredentials: () => user },
    });
  }
}

/** A store whose application validates authorization details. */
class Judged extends Store {
  readonly validateAuthorizationDetails = jest.fn(
    (details: readonly AuthorizationDetail[], _client: object, user?: object): boolean | AuthorizationDetail[] =>
      details.every(({ creditor }) => creditor !== 'Mallory') &&
      (user && details.some(({ type }) => type === 'payment')
        ? details.map((one) => (one.type === 'payment' ? { ...one, account: 'DE02' } : { ...one }))
        : true),
  );
}

const make = (model: object = new Store(), features: Feature[] = [], types = TYPES) =>
  new OAuth2Server({
    model: model as never,
    issuer: 'https://id.example',
    features: [authorizationDetails({ types }), ...features],
  });

const text = (details: unknown) => JSON.stringify(details);
const authorize = (server: OAuth2Server, details: unknown, more: object = {}) =>
  runOperation(server, 'authorize', authorizeRequest({ authorization_details: details, ...more }), signedIn);

/** Obtains a token for authorization details that the user alice agreed to. */
async function granted(server: OAuth2Server, details: unknown, named?: unknown) {
  const { redirected } = await authorize(server, text(details));
  const form = { grant_type: 'authorization_code', code: redirected['code'], redirect_uri: CALLBACK };
  return await runOperation(
    server,
    'token',
    tokenRequest({ ...form, ...(named !== undefined && { authorization_details: text(named) }) }),
  );
}
/** Returns a token request of a client without a `defaultScope`. */
const asking = (body: Record<string, unknown>) =>
  tokenRequest(body, { headers: { ...FORM, authorization: basic('asking', 's3cret') } });
const refresh = (server: OAuth2Server, token: unknown, more: object = {}) =>
  runOperation(server, 'token', tokenRequest({ grant_type: 'refresh_token', refresh_token: token, ...more }));
const itself = (server: OAuth2Server, details: unknown) =>
  runOperation(
    server,
    'token',
    tokenRequest({ grant_type: 'client_credentials', authorization_details: text(details) }),
  );
const known = async (server: OAuth2Server, token: unknown) =>
  (await callEndpoint(server, 'introspection', tokenRequest({ token }))).body;

const INVALID = '400 invalid_authorization_details: Invalid authorization details: `authorization_details` is invalid';

describe('authorization details (RFC 9396)', () => {
  it('are granted, returned in token and introspection responses, and kept by a refresh', async () => {
    const server = make(undefined, [introspection()]);
    const { body } = await granted(server, [PAYMENT, ACCOUNT]);
    expect(body).toMatchObject({ authorization_details: [PAYMENT, ACCOUNT] });
    expect(await known(server, body['access_token'])).toMatchObject({ authorization_details: [PAYMENT, ACCOUNT] });
    const again = await refresh(server, body['refresh_token']);
    expect(again.body).toMatchObject({ authorization_details: [PAYMENT, ACCOUNT] });
    expect(await known(server, again.body['access_token'])).toMatchObject({
      authorization_details: [PAYMENT, ACCOUNT],
    });
  });

  it('can replace the scope for a client without default scope', async () => {
    const server = make(new Judged(), [introspection()]);
    const requested = await authorize(server, text([PAYMENT]), { client_id: 'asking', scope: undefined });
    const form = { grant_type: 'authorization_code', code: requested.redirected['code'], redirect_uri: CALLBACK };
    const { body } = await runOperation(server, 'token', asking(form));
    expect(body).toMatchObject({ authorization_details: [{ ...PAYMENT, account: 'DE02' }] });
    expect(body).not.toHaveProperty('scope');
    const again = { grant_type: 'refresh_token', refresh_token: body['refresh_token'] };
    expect((await runOperation(server, 'token', asking(again))).body).toHaveProperty('access_token');

    const own = { grant_type: 'client_credentials', authorization_details: text([ACCOUNT]) };
    const alone = await runOperation(server, 'token', asking(own));
    expect(alone.body).toMatchObject({ authorization_details: [ACCOUNT] });
  });

  it('are required if a client without default scope requests no scope', async () => {
    const missing = '400 invalid_scope: Missing parameter: `scope`';
    const grant = { grant_type: 'client_credentials' };
    expect(summary((await runOperation(make(), 'token', asking(grant))).error)).toBe(missing);
    const { redirected } = await authorize(make(), undefined, { client_id: 'asking', scope: undefined });
    expect(redirected['error']).toBe('invalid_scope');

    // Without the feature, authorization details have no effect.
    const deaf = new OAuth2Server({ model: new Store() });
    const named = asking({ ...grant, authorization_details: text([PAYMENT]) });
    expect(summary((await runOperation(deaf, 'token', named)).error)).toBe(missing);
  });

  it('can be requested by a device without a scope', async () => {
    const server = make(undefined, [deviceAuthorization({ verificationUri: 'https://id.example/device' })]);
    const form = { authorization_details: text([PAYMENT]) };
    const { body } = await callEndpoint(server, 'device_authorization', asking(form));
    const found = (await findDeviceRequest(server, String(body['user_code']), { user: { id: 'alice' } }))!;
    expect(await decideDeviceRequest(found, { allow: true })).toBe(true);
    const poll = { grant_type: DEVICE_GRANT, device_code: body['device_code'] };
    expect((await runOperation(server, 'token', asking(poll))).body).toMatchObject({
      authorization_details: [PAYMENT],
    });
  });

  it('belong to the token that the authorization endpoint issues for response_type=token', async () => {
    const server = make(undefined, [introspection()]);
    const { redirected } = await authorize(server, text([ACCOUNT]), { response_type: 'token' });
    expect(await known(server, redirected['access_token'])).toMatchObject({ authorization_details: [ACCOUNT] });
  });

  it('are absent from the response if the client requests none', async () => {
    const server = make(new Judged());
    const { redirected } = await authorize(server, undefined);
    const form = { grant_type: 'authorization_code', code: redirected['code'], redirect_uri: CALLBACK };
    const { body, status } = await runOperation(server, 'token', tokenRequest(form));
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('authorization_details');
    expect((server.options.model as unknown as Judged).validateAuthorizationDetails).not.toHaveBeenCalled();
  });

  it.each<[string, unknown]>([
    ['that are not JSON', 'payment'],
    ['that are not a list', text(PAYMENT)],
    ['that are an empty list', '[]'],
    ['with an entry that is not an object', '[["payment"]]'],
    ['without a type', text([{ amount: 1 }])],
    ['of an unknown type', text([PAYMENT, { type: 'keys' }])],
    ['of a type named like a property of Object', text([{ type: 'constructor' }])],
    ['with a field that their type does not have', text([{ ...PAYMENT, debtor: 'Bob' }])],
    ['without a field that their type requires', text([{ type: 'payment' }])],
    ['that `validate()` rejects', text([{ ...PAYMENT, amount: { value: '10000000000.00' } }])],
    ['that `validate()` throws for', text([{ ...PAYMENT, amount: null }])],
    ['with a common field of the wrong type', text([{ ...ACCOUNT, actions: 'balance' }])],
    ['with a member named `__proto__`', '[{"type":"account","more":{"__proto__":{"a":1}}}]'],
    ['with an unpaired surrogate', String.raw`[{"type":"account","name":"\ud800"}]`],
    ['with a number that is too large', '[{"type":"account","limit":1e999}]'],
    ['that are nested too deeply', `[{"type":"account","a":${'['.repeat(9)}${']'.repeat(9)}}]`],
    ['with too many entries', text(Array.from({ length: 33 }, () => ACCOUNT))],
    ['that are too long', text([{ ...ACCOUNT, name: 'n'.repeat(16_384) }])],
  ])('return invalid_authorization_details to the client for details %s', async (_, details) => {
    const { redirected, error } = await authorize(make(), details);
    expect(redirected).toMatchObject({ error: 'invalid_authorization_details', state: 'xyz' });
    expect(summary(error)).toBe(INVALID);
  });

  it('are limited to the types that the client is registered for', async () => {
    const server = make();
    const query = { client_id: 'payer' };
    expect((await authorize(server, text([PAYMENT]), query)).redirected).toHaveProperty('code');
    expect(summary((await authorize(server, text([ACCOUNT]), query)).error)).toBe(INVALID);
  });

  it('are rejected if the parameter is repeated', async () => {
    const { error } = await authorize(make(), [text([ACCOUNT]), text([PAYMENT])]);
    expect(summary(error)).toBe('400 invalid_request: Repeated parameter: `authorization_details`');
  });
});

describe('the authorization_details of a token request', () => {
  const BALANCE = { ...ACCOUNT, actions: ['balance'] };

  it('narrow the access token only, and the client keeps the right to the rest', async () => {
    const server = make();
    const { body } = await granted(server, [PAYMENT, ACCOUNT], [BALANCE]);
    expect(body).toMatchObject({ authorization_details: [BALANCE] });
    const again = await refresh(server, body['refresh_token']);
    expect(again.body).toMatchObject({ authorization_details: [PAYMENT, ACCOUNT] });
    const less = await refresh(server, again.body['refresh_token'], { authorization_details: text([PAYMENT]) });
    expect(less.body).toMatchObject({ authorization_details: [PAYMENT] });
  });

  it.each<[string, unknown[]]>([
    ['another payment', [{ ...PAYMENT, creditor: 'Eve' }]],
    ['an additional action', [{ ...ACCOUNT, actions: ['balance', 'list', 'close'] }]],
    ['no list of actions although one was granted', [{ type: 'account', locations: ACCOUNT.locations }]],
    ['an empty list of actions', [{ ...ACCOUNT, actions: [] }]],
    ['an additional field', [{ ...ACCOUNT, owner: 'bob' }]],
  ])('are rejected if they exceed the granted details: %s', async (_, named) => {
    expect(summary((await granted(make(), [PAYMENT, ACCOUNT], named)).error)).toBe(INVALID);
  });

  it('are rejected if none were granted', async () => {
    const server = make(new Judged());
    const { redirected } = await authorize(server, undefined);
    const form = { grant_type: 'authorization_code', code: redirected['code'], redirect_uri: CALLBACK };
    const { error } = await runOperation(
      server,
      'token',
      tokenRequest({ ...form, authorization_details: text([ACCOUNT]) }),
    );
    expect(summary(error)).toBe(INVALID);
  });

  it('are compared by `isWithin()` of their type', async () => {
    const isWithin = (requested: AuthorizationDetail, whole: AuthorizationDetail) => requested['most'] <= whole['most'];
    const server = make(undefined, [], { limit: { isWithin } });
    expect((await granted(server, [{ type: 'limit', most: 5 }], [{ type: 'limit', most: 3 }])).body).toMatchObject({
      authorization_details: [{ type: 'limit', most: 3 }],
    });
    expect(summary((await granted(server, [{ type: 'limit', most: 5 }], [{ type: 'limit', most: 7 }])).error)).toBe(
      INVALID,
    );
  });

  it('need the approval of the model for client credentials', async () => {
    expect(summary((await itself(make(), [PAYMENT])).error)).toBe(INVALID);
    const server = make(new Judged(), [introspection()]);
    const { body } = await itself(server, [ACCOUNT]);
    expect(body).toMatchObject({ authorization_details: [ACCOUNT] });
    expect(await known(server, body['access_token'])).toMatchObject({ authorization_details: [ACCOUNT] });
    expect(summary((await itself(server, [{ ...PAYMENT, creditor: 'Mallory' }])).error)).toBe(INVALID);
  });

  it('must not exceed those of the subject token in a token exchange', async () => {
    const server = make(undefined, [tokenExchange()]);
    const { body } = await granted(server, [PAYMENT, ACCOUNT]);
    const exchange = (named?: unknown) =>
      runOperation(
        server,
        'token',
        tokenRequest({
          grant_type: EXCHANGE,
          subject_token: body['access_token'],
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          ...(named !== undefined && { authorization_details: text(named) }),
        }),
      );
    expect((await exchange()).body).toMatchObject({ authorization_details: [PAYMENT, ACCOUNT] });
    expect((await exchange([BALANCE])).body).toMatchObject({ authorization_details: [BALANCE] });
    expect(summary((await exchange([{ ...PAYMENT, creditor: 'Eve' }])).error)).toBe(INVALID);
  });

  it('must not exceed those of a narrowed access token in a token exchange, unlike its refresh token', async () => {
    const server = make(undefined, [tokenExchange()]);
    const { body } = await granted(server, [PAYMENT, ACCOUNT], [BALANCE]);
    const exchange = (kind: 'access_token' | 'refresh_token', named?: unknown) =>
      runOperation(
        server,
        'token',
        tokenRequest({
          grant_type: EXCHANGE,
          subject_token: body[kind],
          subject_token_type: `urn:ietf:params:oauth:token-type:${kind}`,
          ...(named !== undefined && { authorization_details: text(named) }),
        }),
      );
    expect((await exchange('access_token')).body).toMatchObject({ authorization_details: [BALANCE] });
    expect(summary((await exchange('access_token', [PAYMENT])).error)).toBe(INVALID);
    expect(summary((await exchange('access_token', [ACCOUNT])).error)).toBe(INVALID);
    expect((await exchange('refresh_token')).body).toMatchObject({ authorization_details: [PAYMENT, ACCOUNT] });
  });
});

describe('authorization details and the application', () => {
  it('are rejected by the model before the user signs in, and completed by it for a known user', async () => {
    const model = new Judged();
    const server = make(model);
    const requested = await server.readAuthorizationRequest(
      authorizeRequest({ authorization_details: text([PAYMENT]) }),
      new Response(),
    );
    expect(requested.data['authorization_details']).toEqual([PAYMENT]);
    await server.grantableScope(requested, { id: 'alice' }, new Response());
    expect(requested.data['authorization_details']).toEqual([{ ...PAYMENT, account: 'DE02' }]);
    expect(model.validateAuthorizationDetails.mock.calls.map(([, , user]) => user)).toEqual([
      undefined,
      { id: 'alice' },
    ]);
    expect(summary((await authorize(server, text([{ ...PAYMENT, creditor: 'Mallory' }]))).error)).toBe(INVALID);
    expect((await granted(server, [PAYMENT])).body).toMatchObject({
      authorization_details: [{ ...PAYMENT, account: 'DE02' }],
    });
  });

  it('are granted as the user chose them on a page of the application', async () => {
    const server = make();
    const request = authorizeRequest({ authorization_details: text([PAYMENT, ACCOUNT]) });
    const requested = await server.readAuthorizationRequest(request, new Response(), { user: { id: 'alice' } });
    const chosen = [{ ...ACCOUNT, account: 'DE02' }];
    const code = await server.decide(
      requested,
      { user: { id: 'alice' }, authorizationDetails: chosen },
      new Response(),
    );
    const form = { grant_type: 'authorization_code', code: code.authorizationCode, redirect_uri: CALLBACK };
    expect((await runOperation(server, 'token', tokenRequest(form))).body).toMatchObject({
      authorization_details: chosen,
    });
  });

  it('cannot be granted with a type that was not requested', async () => {
    const server = make();
    const requested = await server.readAuthorizationRequest(
      authorizeRequest({ authorization_details: text([ACCOUNT]) }),
      new Response(),
    );
    const decision = { user: { id: 'alice' }, authorizationDetails: [PAYMENT] };
    await expect(server.decide(requested, decision, new Response())).rejects.toThrow(
      'of the types that were requested',
    );
  });

  it('cannot be changed in the authorization request that was read', async () => {
    const requested = await make().readAuthorizationRequest(
      authorizeRequest({ authorization_details: text([PAYMENT]) }),
      new Response(),
    );
    const [detail] = requested.data['authorization_details'] as (typeof PAYMENT)[];
    expect(() => (detail!.amount.value = '99.00')).toThrow(TypeError);
  });
});

describe('authorization details with other features', () => {
  it('can be pushed, and invalid ones are rejected when they are pushed', async () => {
    const server = make(undefined, [pushedRequests()]);
    const push = (details: unknown) =>
      callEndpoint(
        server,
        'pushed_authorization_request',
        tokenRequest({
          response_type: 'code',
          client_id: 'web',
          redirect_uri: CALLBACK,
          state: 'xyz',
          authorization_details: text(details),
        }),
      );
    expect((await push([{ type: 'keys' }])).body).toMatchObject({ error: 'invalid_authorization_details' });
    const { body } = await push([PAYMENT]);
    const query = { client_id: 'web', request_uri: body['request_uri'] as string };
    const requested = await server.readAuthorizationRequest(
      new Request({ method: 'GET', headers: {}, query }),
      new Response(),
    );
    expect(requested.data['authorization_details']).toEqual([PAYMENT]);
  });

  it('are shown to the user of a device as the model completed them, and granted like this', async () => {
    const server = make(new Judged(), [deviceAuthorization({ verificationUri: 'https://id.example/device' })]);
    const begun = await callEndpoint(
      server,
      'device_authorization',
      tokenRequest({ authorization_details: text([PAYMENT]) }),
    );
    const found = await findDeviceRequest(server, begun.body['user_code'] as string, { user: { id: 'alice' } });
    const whole = [{ ...PAYMENT, account: 'DE02' }];
    expect(found!.data).toEqual({ authorization_details: whole });
    await decideDeviceRequest(found!, { allow: true });
    const form = { grant_type: DEVICE_GRANT, device_code: begun.body['device_code'] };
    expect((await runOperation(server, 'token', tokenRequest(form))).body).toMatchObject({
      authorization_details: whole,
    });
  });

  it('are limited to the resource of the token', async () => {
    const types = { account: {} };
    const [here, there] = [ACCOUNT, { type: 'account', locations: ['https://bank.example/payments'] }];
    const anywhere = { type: 'account', actions: ['list'] };
    const server = make(undefined, [introspection(), resourceIndicators({ resources: [BANK] })], types);
    const { body } = await granted(server, [here, there, anywhere]);
    expect(body).toMatchObject({ authorization_details: [here, anywhere] });
    expect(await known(server, body['access_token'])).toMatchObject({ authorization_details: [here, anywhere] });
  });

  it('are listed by type in the metadata of the server and of its resources', async () => {
    const server = make(undefined, [serverMetadata(), protectedResource({ resources: [{ resource: '/api' }] })]);
    server.mount(
      Object.fromEntries([...server.context.endpoints.keys(), 'authorize', 'token'].map((id) => [id, `/${id}`])),
    );
    const types = { authorization_details_types_supported: ['payment', 'account'] };
    const document = (id: string) => callEndpoint(server, id, new Request({ method: 'GET', headers: {}, query: {} }));
    expect((await document('server-metadata')).body).toMatchObject(types);
    expect((await document('resource-metadata/api')).body).toMatchObject(types);
  });

  it('are limited to the known types that a client registers', async () => {
    const server = make(undefined, [registration({ open: true })]);
    const register = async (authorization_details_types: string[]) => {
      const body = { redirect_uris: [CALLBACK], authorization_details_types };
      const headers = { 'content-type': 'application/json' };
      return (await callEndpoint(server, 'registration', new Request({ method: 'POST', headers, query: {}, body })))
        .body;
    };
    expect(await register(['payment', 'keys'])).toMatchObject({ authorization_details_types: ['payment'] });
    expect(await register(['keys'])).toMatchObject({ error: 'invalid_client_metadata' });
  });
});

describe('consent to authorization details', () => {
  const requested = (data: object) => ({
    client: { ...CLIENT, id: 'web' },
    redirectUri: CALLBACK,
    scope: 'read',
    data: data as Record<string, unknown>,
  });

  it('is remembered for the same details in any order, and for no others', async () => {
    const store = new Store();
    const alice = { id: 'alice' };
    await store.saveConsent(alice, requested({}));
    expect(await store.hasConsented(alice, requested({ authorization_details: [ACCOUNT] }))).toBe(false);
    await store.saveConsent(alice, requested({ authorization_details: [ACCOUNT] }));
    const { type, ...rest } = ACCOUNT;
    expect(await store.hasConsented(alice, requested({ authorization_details: [{ ...rest, type }] }))).toBe(true);
    expect(await store.hasConsented(alice, requested({ authorization_details: [ACCOUNT, PAYMENT] }))).toBe(false);
    expect(
      await store.hasConsented(alice, requested({ authorization_details: [{ ...ACCOUNT, actions: ['list'] }] })),
    ).toBe(false);
  });

  it('shows a description or all fields, with control characters replaced', () => {
    const toWhom = ({ creditor }: AuthorizationDetail) => `to ${creditor}`;
    const server = make(undefined, [], { payment: { title: 'Pay', describe: toWhom }, account: {} }).context;
    const shown = shownDetails(
      [
        { ...PAYMENT, creditor: 'Ann\u202e' },
        { ...ACCOUNT, owner: { name: 'Bob', age: 7 } },
      ],
      {
        server,
        language: 'en',
      },
    );
    expect(shown.map(({ title, lines }) => ({ title, lines }))).toEqual([
      { title: 'Pay', lines: ['to Ann\ufffd'] },
      {
        title: 'account',
        lines: ['actions: balance, list', `locations: ${BANK}/accounts`, 'owner:', '› name: Bob', '› age: 7'],
      },
    ]);
  });
});

describe('authorization details of a hostile client', () => {
  const server = make();

  it('cause no error other than a protocol error, whatever JSON is sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 6 }),
        fc.constantFrom('payment', 'account', '__proto__'),
        async (value, type) => {
          const sent = [value, [value], [{ type, amount: value, ...Object(value) }]];
          for (const details of sent) {
            const { error } = await authorize(server, text(details));
            expect([undefined, 'invalid_authorization_details']).toContain(error?.name);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('never exceed the granted details', async () => {
    const field = fc.record({
      actions: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
      to: fc.constantFrom('x', 'y'),
    });
    await fc.assert(
      fc.asyncProperty(field, field, async (whole, part) => {
        const { body } = await granted(server, [{ type: 'account', ...whole }], [{ type: 'account', ...part }]);
        const isLess = whole.to === part.to && part.actions.every((one) => whole.actions.includes(one));
        expect('authorization_details' in body).toBe(isLess);
      }),
      { numRuns: 60 },
    );
  });
});

describe('authorizationDetails()', () => {
  it.each<[string, unknown, string]>([
    [
      'a missing option `types`',
      {},
      "requires `types`, such as `{ payment_initiation: { title: 'Start a payment' } }`",
    ],
    [
      'a type with an unknown member',
      { types: { a: { titel: 'A' } } },
      'the type `a` of `authorizationDetails()` has the unknown member `titel`',
    ],
    [
      'a type with a member of the wrong kind',
      { types: { a: { fields: 'b' } } },
      '`fields` of the type `a` of `authorizationDetails()` must be a list',
    ],
    ['a type that is null', { types: { a: null } }, 'must be an object'],
    ['a misspelled option', { type: {}, types: { a: {} } }, 'unknown option `type` of `authorizationDetails()`'],
  ])('reports a configuration error at start-up for %s', (_, options, sentence) => {
    const features = [authorizationDetails(options as never)];
    expect(() => new OAuth2Server({ model: new Store(), features })).toThrow(sentence);
  });
});
