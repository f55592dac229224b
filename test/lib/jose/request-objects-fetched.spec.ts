import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { pushedRequests } from 'nest-oauth2/features';
import { requestObjects, type RequestObjectOptions } from 'nest-oauth2/jose';
import { OAuth2Server, Request } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { runOperation, CHALLENGE, signedIn } from '../../support/clients/requests.js';
import { CERTIFICATE, type Reply, TlsServer } from '../../support/servers/tls-server.js';

const ISSUER = 'https://id.example.com';
const CALLBACK = 'https://app.example/cb';
const { publicKey, privateKey } = await generateKeyPair('ES256');
const jwks = { keys: [await exportJWK(publicKey)] };

const ASKED = {
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: 'read',
  state: 'xyz',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
};

const objectOf = (claims: object = {}) =>
  new SignJWT({ ...ASKED, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-authz-req+jwt' })
    .setIssuer('web')
    .setAudience(ISSUER)
    .sign(privateKey);

const web = new TlsServer();
beforeAll(() => web.start());
afterAll(() => web.stop());
beforeEach(() => web.reset());

const says =
  (body: string, type = 'application/oauth-authz-req+jwt', status = 200): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': type }).end(body);

/** Host names with the addresses that each lookup returns. */
type Names = Record<string, readonly string[][]>;

function setUp(requestUris: readonly string[], { names = {}, given = {} }: { names?: Names; given?: object } = {}) {
  const looked: string[] = [];
  const lookup = async (name: string) => {
    looked.push(name);
    const meant = names[name] ?? [['127.0.0.1']];
    return meant[Math.min(looked.length, meant.length) - 1]!;
  };
  const fetch = { ca: CERTIFICATE, allow: ['127.0.0.1'], lookup, ...given };
  const client = { id: 'web', grants: ['authorization_code'], redirectUris: [CALLBACK], scopes: ['read', 'write'] };
  const model = new MemoryStore({
    clients: [{ ...client, tokenEndpointAuthMethod: 'none', jwks, requestUris }],
    users: { findById: (id) => ({ id }), findByCredentials: () => undefined },
  });
  const make = (options: RequestObjectOptions = {}) =>
    new OAuth2Server({
      model,
      issuer: ISSUER,
      features: [requestObjects({ fetch, ...options }), pushedRequests()],
      ...signedIn,
    });
  const visit = (request_uri: string, more: object = {}, options: RequestObjectOptions = {}) => {
    const query = { client_id: 'web', request_uri, ...more };
    return runOperation(make(options), 'authorize', new Request({ method: 'GET', headers: {}, query }));
  };
  return { visit, looked };
}

const GRANTED = { status: 302, redirected: { code: expect.any(String), state: 'xyz' } };
const REFUSED = {
  status: 400,
  redirected: {},
  body: { error: 'invalid_request_uri', error_description: 'Invalid request URI: `request_uri` is not accepted' },
};

describe('a request object that a request_uri refers to (RFC 9101)', () => {
  it('is fetched from a registered URL, without headers that identify the user', async () => {
    const uri = web.url('/request.jwt');
    web.replies['/request.jwt'] = says(`${await objectOf()}\n`);
    const { visit } = setUp([uri]);
    expect(await visit(uri, { state: 'beside', scope: 'write' })).toMatchObject(GRANTED);
    expect(web.requests[0]!.headers).toMatchObject({ accept: 'application/oauth-authz-req+jwt, application/jwt' });
    expect(Object.keys(web.requests[0]!.headers).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it('can have a version in the fragment of its URL', async () => {
    const uri = web.url('/request.jwt');
    web.replies['/request.jwt'] = says(await objectOf(), 'text/plain');
    for (const [registered, requested] of [
      [uri, `${uri}#one`],
      [`${uri}#one`, `${uri}#two`],
    ]) {
      expect(await setUp([registered!]).visit(requested!)).toMatchObject(GRANTED);
    }
  });

  it('is fetched again for each authorization request', async () => {
    const uri = web.url('/request.jwt');
    const { visit } = setUp([uri]);
    for (const state of ['one', 'two']) {
      web.replies['/request.jwt'] = says(await objectOf({ state }));
      expect(await visit(uri)).toMatchObject({ redirected: { state } });
    }
  });

  it.each([
    ['another path', '/other.jwt'],
    ['a query', '/request.jwt?x=1'],
    ['another case', '/REQUEST.jwt'],
    ['a path that normalizes to the registered one', '/x/../request.jwt'],
  ])('is not fetched if its URL differs from the registered one by %s', async (_, path) => {
    const { visit, looked } = setUp([web.url('/request.jwt')]);
    expect(await visit(web.url(path))).toMatchObject(REFUSED);
    expect([looked, web.requests]).toEqual([[], []]);
  });

  it('is not fetched if the option `byReference` is false', async () => {
    const uri = web.url('/request.jwt');
    const outcome = await setUp([uri]).visit(uri, {}, { byReference: false });
    expect(outcome).toMatchObject({ status: 400, body: { error: 'request_uri_not_supported' } });
    expect(web.requests).toEqual([]);
  });

  it.each([
    'https://127.0.0.1/request.jwt',
    'https://10.0.0.1/request.jwt',
    'https://192.168.1.1/request.jwt',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/request.jwt',
    'https://[fe80::1]/request.jwt',
    'https://[fd00::1]/request.jwt',
    'https://[::ffff:127.0.0.1]/request.jwt',
    'https://2130706433/request.jwt',
    'https://0x7f.1/request.jwt',
    'https://localhost/request.jwt',
    'https://client.example:22/request.jwt',
    'https://user:pass@client.example/request.jwt',
    'http://client.example/request.jwt',
    'file:///etc/passwd',
    'data:text/plain,x',
    'ftp://client.example/request.jwt',
    'urn:example:request',
  ])('is not fetched from %s, even if the application registered this URL', async (uri) => {
    const { visit, looked } = setUp([uri], { given: { allow: [] } });
    expect(await visit(uri)).toMatchObject(REFUSED);
    expect([looked, web.requests]).toEqual([[], []]);
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a loopback address', ['127.0.0.1']],
    ['a link-local address', ['169.254.169.254']],
    ['a public and a private address', ['93.184.215.14', '192.168.0.1']],
    ['no address', []],
  ])('is not fetched if its host name resolves to %s', async (_, addresses) => {
    const uri = web.url('/request.jwt');
    const { visit } = setUp([uri], { names: { 'client.example': [addresses] }, given: { allow: [] } });
    expect(await visit(uri)).toMatchObject(REFUSED);
    expect(web.requests).toEqual([]);
  });

  it('is fetched from the validated address, even if the name resolves differently later (DNS rebinding)', async () => {
    const uri = web.url('/request.jwt');
    web.replies['/request.jwt'] = says(await objectOf());
    const { visit, looked } = setUp([uri], { names: { 'client.example': [['127.0.0.1'], ['10.0.0.1']] } });
    expect(await visit(uri)).toMatchObject(GRANTED);
    expect(looked).toEqual(['client.example']);
    expect(await visit(uri)).toMatchObject(REFUSED);
  });

  it.each<[string, Reply]>([
    ['a redirect', (response) => response.writeHead(302, { location: web.url('/there.jwt') }).end()],
    ['an error', says('x', 'text/plain', 404)],
    ['an endless response', (response) => endless(response)],
    [
      'a response with an excessive Content-Length',
      (response) => response.writeHead(200, { 'content-length': 2e9 }).end('x'),
    ],
    ['a compressed response', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')],
  ])('is not accepted from %s', async (_, reply) => {
    const uri = web.url('/request.jwt');
    web.replies = { '/request.jwt': reply, '/there.jwt': says(await objectOf()) };
    expect(await setUp([uri]).visit(uri)).toMatchObject(REFUSED);
    expect(web.count('/there.jwt')).toBe(0);
  });

  it.each<[string, Reply]>([
    ['does not respond', () => undefined],
    ['sends one byte at a time', (response) => trickle(response)],
    ['responds with 503', says('', 'text/plain', 503)],
  ])('causes temporarily_unavailable if its server %s', async (_, reply) => {
    const uri = web.url('/request.jwt');
    web.replies['/request.jwt'] = reply;
    const { status, body, headers } = await setUp([uri], { given: { timeout: 0.5 } }).visit(uri);
    expect([status, body['error'], headers['retry-after']]).toEqual([503, 'temporarily_unavailable', '5']);
    expect(JSON.stringify(body)).not.toContain('client.example');
  });

  it.each([
    ['an HTML page', '<!DOCTYPE html>'],
    ['a system file of its server', 'root:x:0:0'],
    ['a JSON object', '{"state":"x"}'],
    ['empty', ''],
    ['binary', '\0\u{ff}'],
  ])('is rejected without revealing its content if it is %s', async (_, body) => {
    const uri = web.url('/request.jwt');
    web.replies['/request.jwt'] = says(body);
    const outcome = await setUp([uri]).visit(uri);
    expect(outcome).toMatchObject({ status: 400, redirected: {} });
    expect(outcome.body).toEqual({
      error: 'invalid_request_object',
      error_description: 'Invalid request object: it is not accepted',
    });
  });
});

/** Writes until the connection is closed. */
function endless(response: Parameters<Reply>[0]): void {
  response.writeHead(200);
  const more = (): void => {
    if (!response.destroyed) response.write('x'.repeat(8192), more);
  };
  more();
}

function trickle(response: Parameters<Reply>[0]): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 50);
  response.on('close', () => clearInterval(timer));
}
