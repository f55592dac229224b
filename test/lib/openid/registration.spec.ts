import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { registration } from 'nest-oauth2/features';
import { Request } from 'nest-oauth2/server';

import { CALLBACK, openIdServer } from '../../support/servers/openid-server.js';
import { VERIFIER } from '../../support/clients/requests.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';

const pairwise = { salt: 'salt of thirty-two characters at least' };

const documents = new TlsServer();
beforeAll(() => documents.start());
afterAll(() => documents.stop());
afterEach(() => documents.reset());
const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };

async function setUp(given: object = {}) {
  const more = [registration({ open: true, scopes: ['openid', 'email'], rate: false })];
  const server = await openIdServer({ more, pairwise, fetch, ...given });
  const register = async (said: object) => {
    const headers = { 'content-type': 'application/json' };
    const body = { redirect_uris: [CALLBACK], ...said };
    return await server.send('registration', new Request({ method: 'POST', headers, query: {}, body }));
  };
  return { ...server, register };
}

describe('registration of an OpenID Connect client', () => {
  it('applies the registered settings to ID tokens and userinfo responses', async () => {
    const { register, signInAs, send } = await setUp();
    const said = {
      application_type: 'web',
      id_token_signed_response_alg: 'ES256',
      userinfo_signed_response_alg: 'EdDSA',
      subject_type: 'pairwise',
      require_auth_time: true,
      claims_in_id_token: true,
      default_max_age: 3600,
      default_acr_values: ['silver'],
      initiate_login_uri: 'https://app.example/login?from=id',
      post_logout_redirect_uris: ['https://app.example/goodbye?a=1', 'http://127.0.0.1:4000/', 'com.example.app:/bye'],
    };
    const { status, body } = await register(said);
    expect({ status, body }).toMatchObject({ status: 201, body: said });
    const signedIn = { authTime: new Date(), acr: 'silver' };
    const tokens = await signInAs(String(body['client_id']), String(body['client_secret']), signedIn);
    expect(decodeProtectedHeader(tokens.id_token).alg).toBe('ES256');
    const { sub, auth_time } = decodeJwt(tokens.id_token);
    expect({ sub, auth_time }).toEqual({
      sub: expect.stringMatching(/^[\w-]{43}$/),
      auth_time: Math.floor(signedIn.authTime.getTime() / 1000),
    });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const reported = await send('userinfo', new Request({ method: 'GET', headers, query: {} }));
    expect(decodeProtectedHeader(String(reported.body)).alg).toBe('EdDSA');
    expect(decodeJwt(String(reported.body)).sub).toBe(sub);
  });

  it.each<[string, unknown]>([
    ['id_token_signed_response_alg', 'none'],
    ['id_token_signed_response_alg', 'HS256'],
    ['id_token_signed_response_alg', 'PS256'],
    ['userinfo_signed_response_alg', 'none'],
    ['subject_type', 'both'],
    ['default_max_age', -1],
    ['default_max_age', '3600'],
    ['require_auth_time', 'yes'],
    ['claims_in_id_token', 'yes'],
    ['default_acr_values', 'silver'],
    ['default_acr_values', ['']],
    ['initiate_login_uri', 'http://app.example/login'],
    ['initiate_login_uri', 'https://user@app.example/login'],
    ['initiate_login_uri', 'javascript:alert(1)'],
    ['post_logout_redirect_uris', 'https://app.example/goodbye'],
    ['post_logout_redirect_uris', ['javascript:alert(1)']],
    ['post_logout_redirect_uris', ['http://app.example/goodbye']],
    ['post_logout_redirect_uris', ['http://localhost:x@evil.example/']],
    ['post_logout_redirect_uris', ['https://app.example@evil.example/']],
    ['post_logout_redirect_uris', ['https:///evil.example']],
    ['post_logout_redirect_uris', ['https://app.example/#goodbye']],
    ['post_logout_redirect_uris', Array.from({ length: 21 }, () => 'https://app.example/goodbye')],
  ])('rejects the metadata `%s` with the value %j', async (name, value) => {
    const { register } = await setUp();
    expect(await register({ [name]: value })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata', error_description: expect.stringContaining(name) },
    });
  });

  it('rejects pairwise subjects if the server does not support them', async () => {
    const { register } = await setUp({ pairwise: undefined });
    expect((await register({ subject_type: 'pairwise' })).body).toMatchObject({ error: 'invalid_client_metadata' });
    expect((await register({ subject_type: 'public' })).status).toBe(201);
  });

  it('causes server_error for require_auth_time if the time of the login is unknown', async () => {
    const { register, signInAs } = await setUp();
    const { body } = await register({ require_auth_time: true });
    const tokens = await signInAs(String(body['client_id']), String(body['client_secret']));
    expect(tokens).toMatchObject({ error: 'server_error' });
  });
});

describe('redirect URIs of a web client', () => {
  const implicit = { grants: ['authorization_code', 'implicit'] };
  const both = ['authorization_code', 'implicit'];
  const loopback = ['http://localhost:8080', 'https://localhost/', 'http://[::1]/', 'com.example.app:/cb'];

  it.each(loopback.flatMap((uri) => ['id_token', 'code id_token'].map((type) => [type, uri])))(
    'must be public https URLs for the response type `%s`: %s is rejected',
    async (type, uri) => {
      const more = [registration({ open: true, scopes: ['openid'], rate: false, ...implicit })];
      const { register } = await setUp({ more, responseTypes: ['id_token', 'code id_token'] });
      const said = { application_type: 'web', redirect_uris: [uri], response_types: ['code', type], grant_types: both };
      expect(await register(said)).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
      expect((await register({ ...said, redirect_uris: [CALLBACK] })).status).toBe(201);
    },
  );

  it('can be loopback addresses with a fixed port for the response type `code`', async () => {
    const { register, authorize } = await setUp();
    const uri = 'http://localhost:8080';
    const { body } = await register({ application_type: 'web', redirect_uris: [uri], response_types: ['code'] });
    const client_id = String(body['client_id']);
    expect((await authorize({ client_id, redirect_uri: uri })).parameters).toMatchObject({ code: expect.any(String) });
    const elsewhere = await authorize({ client_id, redirect_uri: 'http://localhost:9090' });
    expect(elsewhere.parameters).not.toHaveProperty('code');
  });
});

describe('the sector of a client with pairwise subjects', () => {
  const elsewhere = 'https://third.example/cb';
  const redirect_uris = [CALLBACK, elsewhere];
  const refusedAs = (text: string) => ({
    status: 400,
    body: { error: 'invalid_client_metadata', error_description: expect.stringContaining(text) },
  });

  it('is the host of `sector_identifier_uri`, whose document lists the redirect URIs', async () => {
    const { register, signInAs } = await setUp();
    documents.replies['/sector'] = json([...redirect_uris, 'https://fourth.example/cb']);
    const said = { redirect_uris, subject_type: 'pairwise', sector_identifier_uri: documents.url('/sector') };
    const [one, two] = [await register(said), await register({ ...said, redirect_uris: [CALLBACK] })];
    expect(one).toMatchObject({ status: 201, body: said });
    const { body: alone } = await register({ subject_type: 'pairwise' });
    const subs = [];
    for (const { client_id, client_secret } of [one.body, two.body, alone]) {
      const { id_token } = await signInAs(String(client_id), String(client_secret));
      subs.push(decodeJwt(id_token).sub);
    }
    expect(subs[0]).toBe(subs[1]);
    expect(subs[2]).not.toBe(subs[0]);
  });

  it.each(['com.example.app:/cb', 'http://127.0.0.1/cb'])(
    'does not determine the subject if the response was delivered to %s',
    async (uri) => {
      const { register, signInAs, authorize, token } = await setUp();
      const uris = [CALLBACK, uri];
      documents.replies['/sector'] = json(uris);
      const { body } = await register({
        redirect_uris: uris,
        application_type: 'native',
        subject_type: 'pairwise',
        sector_identifier_uri: documents.url('/sector'),
      });
      const [id, secret] = [String(body['client_id']), String(body['client_secret'])];
      const sector = decodeJwt((await signInAs(id, secret)).id_token).sub;
      const { code } = (await authorize({ client_id: id, redirect_uri: uri })).parameters;
      const grant = { grant_type: 'authorization_code', code, redirect_uri: uri, code_verifier: VERIFIER };
      const { sub } = decodeJwt((await token(grant, id, secret)).body.id_token);
      expect(sub).toMatch(/^[\w-]{43}$/);
      expect(sub).not.toBe(sector);
    },
  );

  it.each<[string, Parameters<typeof json>]>([
    ['lacks a redirect URI', [[CALLBACK]]],
    ['is an empty list', [[]]],
    ['is not a list', [{ [CALLBACK]: true }]],
    ['does not exist', [redirect_uris, {}, 404]],
    ['redirects', [redirect_uris, { location: 'https://app.example/' }, 302]],
    ['is too large', [[...redirect_uris, 'x'.repeat(70_000)]]],
  ])('is rejected if its document %s', async (_, reply) => {
    const { register } = await setUp();
    documents.replies['/sector'] = json(...reply);
    const answer = await register({ redirect_uris, sector_identifier_uri: documents.url('/sector') });
    expect(answer).toMatchObject(refusedAs('sector_identifier_uri'));
  });

  it('is rejected if its document has a private address', async () => {
    const { register } = await setUp({ fetch: { ca: CERTIFICATE } });
    for (const uri of ['https://127.0.0.1/sector', 'https://169.254.169.254/latest', 'https://localhost/sector']) {
      expect(await register({ sector_identifier_uri: uri })).toMatchObject(refusedAs('sector_identifier_uri'));
    }
  });

  it('is rejected for a client without redirect URIs', async () => {
    const more = [registration({ open: true, scopes: ['email'], rate: false, grants: ['client_credentials'] })];
    const { register } = await setUp({ more });
    documents.replies['/sector'] = json(redirect_uris);
    const said = { redirect_uris: undefined, response_types: [], grant_types: ['client_credentials'], scope: 'email' };
    const sector_identifier_uri = documents.url('/sector');
    expect(await register({ ...said, sector_identifier_uri })).toMatchObject(refusedAs('redirect_uris'));
    expect((await register(said)).status).toBe(201);
  });

  it('must be registered as `sector_identifier_uri` if the redirect URIs have several hosts', async () => {
    const { register } = await setUp();
    const answer = await register({ redirect_uris, subject_type: 'pairwise' });
    expect(answer).toMatchObject(refusedAs('several hosts'));
    expect((await register({ redirect_uris })).status).toBe(201);
    const byDefault = await setUp({ pairwise: { ...pairwise, byDefault: true } });
    expect(await byDefault.register({ redirect_uris })).toMatchObject(refusedAs('several hosts'));
  });

  it('cannot be avoided by registering public subjects if pairwise is the default of the server', async () => {
    const { register, get } = await setUp({ pairwise: { ...pairwise, byDefault: true } });
    expect(await register({ subject_type: 'public' })).toMatchObject(refusedAs('`subject_type` must be `pairwise`'));
    for (const said of [{ subject_type: 'pairwise' }, {}]) expect((await register(said)).status).toBe(201);
    expect(await get('openid-configuration')).toMatchObject({ subject_types_supported: ['pairwise'] });
    const optional = await setUp();
    expect(await optional.get('openid-configuration')).toMatchObject({
      subject_types_supported: ['public', 'pairwise'],
    });
  });

  it('causes temporarily_unavailable if its document cannot be fetched now', async () => {
    const { register } = await setUp();
    documents.replies['/sector'] = json([], {}, 503);
    expect(await register({ sector_identifier_uri: documents.url('/sector') })).toMatchObject({
      status: 503,
      body: { error: 'temporarily_unavailable' },
    });
  });
});
