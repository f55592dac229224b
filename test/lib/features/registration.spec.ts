import { describe, expect, it } from '@jest/globals';
import {
  authorizationDetails,
  registration,
  type RegistrationOptions,
  type RegistrationRequest,
  clientField,
  type Feature,
} from 'nest-oauth2/features';
import { InvalidSoftwareStatementError, OAuth2Server, OAuthError, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const JSON_TYPE = { 'content-type': 'application/json', 'content-length': '1' };
const alice = { id: 'alice' };
const users = { findById: () => alice, findByCredentials: () => undefined };
const CALLBACK = 'https://app.example/callback';

function serverOf(options: RegistrationOptions = {}, model: object = {}) {
  const store = Object.assign(new MemoryStore({ clients: [], users }), model);
  const settings = { open: true, scopes: ['read', 'write'], rate: false as const, ...options };
  return {
    store,
    server: new OAuth2Server({ model: store, issuer: 'https://as.example', features: [registration(settings)] }),
  };
}

async function ask(server: OAuth2Server, method: string, body: unknown, { headers = {}, query = {} } = {}) {
  const response = new Response();
  const request = new Request({ method, headers: { ...JSON_TYPE, ...headers }, query, body });
  await server.handle('registration', request, response).catch((error: unknown) => {
    if (!(error instanceof OAuthError)) throw error;
  });
  return { status: response.status, body: response.body as Record<string, string>, headers: response.headers };
}

const register = (metadata: object, options?: RegistrationOptions, model?: object) =>
  ask(serverOf(options, model).server, 'POST', { redirect_uris: [CALLBACK], ...metadata });

describe('the metadata of a registration request (RFC 7591)', () => {
  it.each([
    [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: CALLBACK }, 'invalid_redirect_uri'],
    [{ redirect_uris: [`${CALLBACK}#a`] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://app.example/'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://user:password@app.example/'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    // workers-oauth-provider issue 97
    [{ redirect_uris: ['JaVaScRiPt:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [' javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['java\tscript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['\u0001javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['VBScript:msgbox(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['blob:https://app.example/1'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['intent://a#b'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['data:text/html,a'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [7] }, 'invalid_redirect_uri'],
    [{ redirect_uris: Array.from({ length: 21 }, (_, index) => `${CALLBACK}/${index}`) }, 'invalid_redirect_uri'],
    [{ application_type: 'web', redirect_uris: ['http://app.example/'] }, 'invalid_redirect_uri'],
    [{ application_type: 'web', redirect_uris: ['http://localhost.app.example/'] }, 'invalid_redirect_uri'],
    [{ application_type: 'web', redirect_uris: ['http://192.168.0.1/'] }, 'invalid_redirect_uri'],
    [{ application_type: 'web', redirect_uris: ['http://localhost@app.example/'] }, 'invalid_redirect_uri'],
    [{ application_type: 'web', redirect_uris: ['example:/a'] }, 'invalid_redirect_uri'],
    [{ application_type: 'other' }, 'invalid_client_metadata'],
    [{ grant_types: ['password'] }, 'invalid_client_metadata'],
    [{ grant_types: 'authorization_code' }, 'invalid_client_metadata'],
    [{ grant_types: ['refresh_token'], response_types: ['code'] }, 'invalid_client_metadata'],
    [{ response_types: ['token'] }, 'invalid_client_metadata'],
    [{ response_types: [] }, 'invalid_client_metadata'],
    [{ response_types: ['id_token'] }, 'invalid_client_metadata'],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    [{ token_endpoint_auth_method: 'client_secret_jwt' }, 'invalid_client_metadata'],
    [{ scope: 'admin' }, 'invalid_client_metadata'],
    [{ scope: ['read'] }, 'invalid_client_metadata'],
    [{ client_name: '' }, 'invalid_client_metadata'],
    [{ client_name: 'a'.repeat(201) }, 'invalid_client_metadata'],
    [{ client_name: 'a\u202eb' }, 'invalid_client_metadata'],
    [{ client_name: ' \u200b\u2060\u00ad ' }, 'invalid_client_metadata'],
    [{ client_name: '\u3164' }, 'invalid_client_metadata'],
    [{ client_name: '\u{e0041}' }, 'invalid_client_metadata'],
    [{ client_name: `a${'\u0301'.repeat(100)}` }, 'invalid_client_metadata'],
    [{ redirect_uris: ['search-ms:query=a'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['ms-msdt:/id'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['ldap://a.example/'] }, 'invalid_redirect_uri'],
    [{ 'client_name#ja': 7 }, 'invalid_client_metadata'],
    [{ logo_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
    [{ 'tos_uri#de-AT': 'data:,' }, 'invalid_client_metadata'],
    [{ contacts: 'a@b.example' }, 'invalid_client_metadata'],
    [{ jwks: { keys: [] } }, 'invalid_client_metadata'],
    [{ jwks: { keys: [{ kty: 'RSA', d: 'a' }] } }, 'invalid_client_metadata'],
    [{ jwks_uri: 'http://a.example/' }, 'invalid_client_metadata'],
    [{ jwks_uri: 'https://a.example/', jwks: { keys: [{ kty: 'EC' }] } }, 'invalid_client_metadata'],
    [{ require_pushed_authorization_requests: 'yes' }, 'invalid_client_metadata'],
  ])('is rejected if it is invalid: %j', async (metadata, error) => {
    expect(await register(metadata)).toMatchObject({ status: 400, body: { error } });
  });

  it.each([
    [{ redirect_uris: ['http://127.0.0.1/a', 'http://[::1]/a', 'http://localhost:3000/a', 'cursor://a/b'] }],
    [{ application_type: 'native', redirect_uris: ['com.example.app:/callback', CALLBACK] }],
    [{ application_type: 'web', redirect_uris: ['http://127.0.0.1:8080', 'http://[::1]/', 'https://localhost/'] }],
    [
      // The registration request of oidc-agent.
      {
        application_type: 'web',
        redirect_uris: [
          'http://localhost:8080',
          'http://localhost:47947',
          'http://localhost:4242',
          'com.example.agent:/redirect',
        ],
      },
    ],
    [{ client_name: '👩‍💻', 'client_name#hi': 'हिन्दी', 'client_name#vi': 'Ghi chú ệ' }],
    [{ client_name: 'a'.repeat(200) }],
    [{ client_name: 'Notes', 'client_name#ja': 'ノート', logo_uri: 'https://a.example/logo.png' }],
    [{ jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] } }],
    [{ software_id: 'a', software_version: '1', contacts: ['ops@a.example'] }],
  ])('is registered and returned unchanged: %j', async (metadata) => {
    expect(await register(metadata)).toMatchObject({ status: 201, body: metadata });
  });

  it('is rejected if it is nested too deeply', async () => {
    const deep: unknown = JSON.parse('['.repeat(40_000) + ']'.repeat(40_000));
    for (const metadata of [{ x: deep }, { jwks: { keys: [{ kty: 'EC', x: deep }] } }]) {
      expect(await register(metadata)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    }
  });

  it('is narrowed to the allowed grants and scopes', async () => {
    const requested = { grant_types: ['authorization_code', 'password', 'refresh_token'], scope: 'read admin' };
    expect(await register(requested)).toMatchObject({
      status: 201,
      body: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], scope: 'read' },
    });
  });

  it('cannot set properties that only the application may set', async () => {
    const { server, store } = serverOf();
    const bent = {
      id: 'web',
      secret: 'x',
      secretHashes: [],
      consent: 'never',
      scopes: ['admin'],
      grants: ['password'],
      user: alice,
    };
    const more = {
      clientIdHost: 'good.example',
      registration: {},
      accessTokenLifetime: 1e9,
      resources: ['urn:a'],
      __proto__: { a: 1 },
    };
    const { body } = await ask(server, 'POST', { redirect_uris: [CALLBACK], ...bent, ...more });
    const client = (await store.getClient(body['client_id']!, body['client_secret']!))!;
    const { expiresIfUnusedAt: registeredUntil, ...known } = client;
    expect(Object.keys(known).toSorted()).toEqual([
      'grants',
      'id',
      'issuer',
      'metadata',
      'redirectUris',
      'requiresSectorProof',
      'scopes',
      'tokenEndpointAuthMethod',
    ]);
    expect(known).toMatchObject({ scopes: ['read', 'write'], grants: ['authorization_code'] });
    expect(JSON.stringify(client.metadata)).not.toMatch(/admin|never|good\.example/);
  });
});

describe('registration()', () => {
  it('requires an access token with the scope `initialAccessScope`', async () => {
    const { server, store } = serverOf({ open: false, initialAccessScope: 'clients:register' });
    const client = { id: 'any', grants: [] };
    const token = (accessToken: string, scope: string) =>
      store.saveToken({ accessToken, accessTokenExpiresAt: new Date(Date.now() + 60_000), scope }, client, alice);
    await store.saveClient(client);
    await token('good', 'clients:register');
    await token('less', 'read');
    const attempt = (headers: object) => ask(server, 'POST', { redirect_uris: [CALLBACK] }, { headers });
    expect(await attempt({ authorization: 'Bearer good' })).toMatchObject({ status: 201 });
    expect(await attempt({ authorization: 'Bearer less' })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope' },
    });
    for (const headers of [{}, { authorization: 'Bearer bad' }]) {
      const refused = await attempt(headers);
      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer /);
    }
  });

  it('lets mayRegister() of the model decide', async () => {
    const requested: RegistrationRequest[] = [];
    const mayRegister = (request: RegistrationRequest) => {
      requested.push(request);
      return request.metadata.client_name === 'Good';
    };
    expect(await register({ client_name: 'Good' }, {}, { mayRegister })).toMatchObject({ status: 201 });
    expect(await register({ client_name: 'Bad' }, {}, { mayRegister })).toMatchObject({
      status: 403,
      body: { error: 'access_denied' },
    });
    expect(requested).toHaveLength(2);
  });

  it.each([
    [{ open: false }, /must know who may register/],
    [{ initialAccessScope: 'a' }, /remove one of them/],
    [{ opn: true }, /unknown option `opn`/],
    [{ rate: { requests: 0, per: 1 } }, /`rate` of `registration\(\)`/],
    [{ grants: ['password', 'urn:none'] }, /grant type that the server does not support/],
    [{ defaultScope: ['admin'] }, /`defaultScope` of/],
    [{ unusedLifetime: -1 }, /`unusedLifetime` of/],
  ])('rejects invalid options at start-up: %j', (options, sentence) => {
    expect(() => serverOf(options as never)).toThrow(sentence);
  });

  it('requires a store that stores clients or overrides saveRegistration()', () => {
    const make = (Store: typeof MemoryStore) => {
      const model = new Store({ clients: { findById: () => undefined }, users });
      return new OAuth2Server({ model, issuer: 'https://as.example', features: [registration({ open: true })] });
    };
    expect(() => make(MemoryStore)).toThrow('the store has the option `clients`');
    class OwnTable extends MemoryStore {
      override async saveRegistration(): Promise<void> {}
    }
    expect(make(OwnTable)).toBeInstanceOf(OAuth2Server);
  });
});

describe('a software statement', () => {
  const statement = 'e30.e30.c2ln';
  const verifier = (verifySoftwareStatement: unknown) => ({ verifySoftwareStatement });

  it('takes precedence over other metadata, and is returned to the client', async () => {
    const model = verifier(() => ({ client_name: 'Proven', scope: 'read' }));
    const answer = await register({ software_statement: statement, client_name: 'Said', scope: 'write' }, {}, model);
    expect(answer).toMatchObject({
      status: 201,
      body: { client_name: 'Proven', scope: 'read', software_statement: statement },
    });
  });

  it.each([
    ['not a JWT', 'nonsense', () => ({}), 'invalid_software_statement'],
    ['not valid', statement, () => Promise.reject(new Error('signature')), 'invalid_software_statement'],
    [
      'refused by the application',
      statement,
      () => {
        throw new InvalidSoftwareStatementError('Invalid');
      },
      'invalid_software_statement',
    ],
    ['not approved', statement, () => undefined, 'unapproved_software_statement'],
  ])('is rejected if it is %s', async (_, given, verify, error) => {
    expect(await register({ software_statement: given }, {}, verifier(verify))).toMatchObject({
      status: 400,
      body: { error },
    });
  });

  it('is passed to mayRegister() of the model only if it was verified', async () => {
    const mayRegister = ({ metadata }: RegistrationRequest) => metadata.software_statement !== undefined;
    const model = { ...verifier(() => ({ client_name: 'Proven' })), mayRegister };
    expect(await register({ software_statement: statement }, {}, model)).toMatchObject({ status: 201 });
    expect(await register({}, {}, model)).toMatchObject({ status: 403 });
    expect(await register({ software_statement: statement }, {}, { mayRegister })).toMatchObject({ status: 403 });
  });

  it('also applies to later changes of the registration', async () => {
    const { server, store } = serverOf(
      {},
      verifier(() => ({ client_name: 'Proven', redirect_uris: [CALLBACK] })),
    );
    const { body } = await ask(server, 'POST', { redirect_uris: [CALLBACK], software_statement: statement });
    const query = { client_id: body['client_id'] };
    const headers = { authorization: `Bearer ${body['registration_access_token']}` };
    const bent = { client_id: body['client_id'], client_name: 'Proven', redirect_uris: ['https://evil.example/'] };
    for (const software_statement of [undefined, null, 'e30']) {
      const refused = await ask(server, 'PUT', { ...bent, software_statement }, { headers, query });
      expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_software_statement' } });
    }
    expect(await ask(server, 'GET', undefined, { headers, query })).toMatchObject({
      status: 200,
      body: { software_statement: statement, redirect_uris: [CALLBACK] },
    });
    const changed = await ask(server, 'PUT', { ...bent, software_statement: statement }, { headers, query });
    expect(changed).toMatchObject({ status: 200, body: { redirect_uris: [CALLBACK] } });
    expect(await store.getClient(body['client_id']!, null)).toMatchObject({ redirectUris: [CALLBACK] });
  });

  it('is ignored if the model does not implement verifySoftwareStatement()', async () => {
    const { status, body } = await register({ software_statement: statement });
    expect({ status, reported: 'software_statement' in body }).toEqual({ status: 201, reported: false });
  });
});

describe('a change of a registration (RFC 7592)', () => {
  it('is rejected if it sets the id, the secret or the token of the client', async () => {
    const { server } = serverOf();
    const { body } = await ask(server, 'POST', { redirect_uris: [CALLBACK] });
    const query = { client_id: body['client_id'] };
    const headers = { authorization: `Bearer ${body['registration_access_token']}` };
    const whole = { client_id: body['client_id'], redirect_uris: [CALLBACK] };
    for (const more of [
      { client_id: 'other' },
      { client_secret: 'mine' },
      { client_secret: '' },
      { registration_access_token: 'a' },
    ]) {
      expect(await ask(server, 'PUT', { ...whole, ...more }, { headers, query })).toMatchObject({ status: 400 });
    }
    const publicNow = await ask(server, 'PUT', { ...whole, token_endpoint_auth_method: 'none' }, { headers, query });
    expect(publicNow).toMatchObject({ status: 200 });
    const again = await ask(server, 'PUT', whole, { headers, query });
    expect(again).toMatchObject({ status: 200, body: { client_secret: expect.stringMatching(/^[\da-f]{64}$/) } });
  });

  it('emits an event, like the registration and its deletion', async () => {
    const reported: object[] = [];
    const store = new MemoryStore({ clients: [], users });
    const server = new OAuth2Server({
      model: store,
      issuer: 'https://as.example',
      features: [registration({ open: true })],
      events: { emit: (name: string, payload: object) => reported.push({ name, ...payload }) },
    });
    const { body } = await ask(server, 'POST', { redirect_uris: [CALLBACK] });
    const query = { client_id: body['client_id'] };
    const headers = { authorization: `Bearer ${body['registration_access_token']}` };
    await ask(server, 'PUT', { ...query, redirect_uris: [CALLBACK] }, { headers, query });
    expect(await ask(server, 'DELETE', undefined, { headers, query })).toMatchObject({ status: 204 });
    const clientId = body['client_id'];
    const facts = { at: expect.any(Date), endpoint: 'registration', issuer: 'https://as.example', clientId };
    expect(reported).toEqual([
      { name: 'client.registered', ...facts },
      { name: 'client.changed', ...facts, change: 'description' },
      { name: 'client.removed', ...facts },
      { name: 'grant.ended', ...facts, reason: 'revoked' },
    ]);
  });
});

describe('the client field of a feature', () => {
  const TENANT_ID = clientField('tenant_id', (value) => typeof value === 'number');
  const tenants = (name: string, known: readonly number[]): Feature => ({
    id: name,
    install: () => ({ clientFields: [TENANT_ID.restrict((tenant) => known.includes(tenant))] }),
  });
  const serve = (...features: Feature[]) => {
    const model = new MemoryStore({ clients: [], users });
    const open = registration({ open: true, scopes: ['read'], rate: false });
    return { model, server: new OAuth2Server({ model, issuer: 'https://as.example', features: [open, ...features] }) };
  };

  it('can be registered, and is read from the stored client or from a property of the application', async () => {
    const { model, server } = serve(tenants('Tenants', [1]));
    const { body, status } = await ask(server, 'POST', { redirect_uris: [CALLBACK], tenant_id: 1 });
    expect({ status, tenant: body['tenant_id'] }).toEqual({ status: 201, tenant: 1 });

    const client = await model.getClient(body['client_id']!, null);
    expect(client && TENANT_ID.of(client)).toBe(1);
    const changed = { id: '', ...client, tenantId: 2 };
    expect(TENANT_ID.of(changed)).toBe(2);
  });

  it.each([2, '1'])('rejects a value that its validator rejects: %j', async (tenant) => {
    const { server } = serve(tenants('Tenants', [1]));
    expect(await ask(server, 'POST', { redirect_uris: [CALLBACK], tenant_id: tenant })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata', error_description: expect.stringContaining('`tenant_id`') },
    });
  });

  it('is ignored by a server without the feature', async () => {
    const { status, body } = await ask(serve().server, 'POST', { redirect_uris: [CALLBACK], tenant_id: 1 });
    expect({ status, tenant: body['tenant_id'] }).toEqual({ status: 201, tenant: undefined });
  });

  it('can be declared by one feature of a server only', () => {
    expect(() => serve(tenants('Tenants', [1]), tenants('Partners', [2]))).toThrow(
      'both add `tenant_id` to `clientFields`',
    );
  });

  it('has the value of the latest registration', async () => {
    const isList = (value: unknown): value is string[] => Array.isArray(value);
    const { model, server } = serve(authorizationDetails({ types: { payment: {}, chat: {} } }));
    const first = { redirect_uris: [CALLBACK], authorization_details_types: ['payment', 'chat'] };
    const { body } = await ask(server, 'POST', first);
    const headers = { authorization: `Bearer ${body['registration_access_token']}` };
    const query = { client_id: body['client_id']! };
    // The store keeps the client permanently once something was granted to it.
    const found = await model.getClient(query.client_id, null);
    const code = { authorizationCode: 'code', expiresAt: new Date(Date.now() + 60_000), redirectUri: CALLBACK };
    await model.saveAuthorizationCode({ ...code, grantId: 'grant' }, found || { id: '', grants: [] }, alice);
    const second = { ...query, redirect_uris: [CALLBACK], authorization_details_types: ['chat'] };
    expect(await ask(server, 'PUT', second, { headers, query })).toMatchObject({ status: 200 });

    const client = await model.getClient(query.client_id, null);
    expect(client && clientField('authorization_details_types', isList).of(client)).toEqual(['chat']);
  });
});
