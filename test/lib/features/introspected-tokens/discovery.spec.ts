import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IntrospectedTokens, type IntrospectedTokensOptions } from 'nest-oauth2/features';
import { OAuth2Server } from 'nest-oauth2/server';

import { IntrospectionServer, json, WELL_KNOWN } from '../../../support/servers/introspection-server.js';
import { runOperation, resourceRequest } from '../../../support/clients/requests.js';

const OPENID = '/.well-known/openid-configuration';
const remote = new IntrospectionServer();
const said = { active: true, client_id: 'web', sub: 'alice' };

function serverOf(options: Partial<IntrospectedTokensOptions> = {}): OAuth2Server {
  const credentials = { id: 'api', secret: 'secret' };
  return new OAuth2Server({
    model: new IntrospectedTokens({ issuer: remote.url, credentials, audience: null, ...options }),
  });
}

const call = (server: OAuth2Server, token = 'token') =>
  runOperation(server, 'authenticate', resourceRequest(`Bearer ${token}`));
const paths = () => remote.received.map(({ path }) => path);
const LATER = { status: 503, error: { name: 'temporarily_unavailable' } };

let warnings: jest.SpiedFunction<typeof process.emitWarning>;

beforeAll(() => remote.start());
afterAll(() => remote.stop());
beforeEach(() => {
  remote.reset(said);
  warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => warnings.mockRestore());

const about = (issuer: string) => ({ issuer, introspection_endpoint: `${remote.url}/introspect` });

describe('the introspection endpoint that IntrospectedTokens uses', () => {
  it('is discovered once for concurrent requests', async () => {
    const server = serverOf();
    await Promise.all(['a', 'b', 'c'].map((token) => call(server, token)));
    expect(await call(server, 'd')).toMatchObject({ status: 200 });
    expect(paths().toSorted()).toEqual(
      [WELL_KNOWN, '/introspect', '/introspect', '/introspect', '/introspect'].toSorted(),
    );
  });

  it('is not discovered if the option `introspectionEndpoint` is set', async () => {
    const introspectionEndpoint = `${remote.url}/introspect`;
    expect(await call(serverOf({ issuer: undefined, introspectionEndpoint }))).toMatchObject({ status: 200 });
    expect(paths()).toEqual(['/introspect']);
    // If an issuer is set as well, tokens of other issuers are rejected.
    remote.reset({ ...said, iss: 'https://other.example' });
    expect(await call(serverOf({ introspectionEndpoint }))).toMatchObject({ status: 401 });
    expect(paths()).toEqual(['/introspect']);
  });

  it.each([
    ['', WELL_KNOWN],
    ['/', WELL_KNOWN],
    ['/tenants/one', `${WELL_KNOWN}/tenants/one`],
    ['/tenants/one/', `${WELL_KNOWN}/tenants/one`],
  ])('is discovered for an issuer with the path `%s` at the metadata path %s', async (path, place) => {
    const issuer = remote.url + path;
    remote.replies = { [place]: json(about(issuer)), '/introspect': json({ ...said, iss: issuer }) };
    expect(await call(serverOf({ issuer }))).toMatchObject({ status: 200 });
    expect(paths()).toEqual([place, '/introspect']);
  });

  it.each([
    ['missing', json({}, 404)],
    ['an HTML page', json('<html>', 200, { 'content-type': 'text/html' })],
    ['a redirect to a login', json('', 302, { location: '/login' })],
    ['not an object', json('[]')],
  ])('is discovered in the OpenID Connect metadata if the OAuth metadata is %s', async (_, reply) => {
    const issuer = `${remote.url}/realms/one`;
    const place = `${WELL_KNOWN}/realms/one`;
    remote.replies = { [place]: reply, [`/realms/one${OPENID}`]: json(about(issuer)), '/introspect': json(said) };
    expect(await call(serverOf({ issuer }))).toMatchObject({ status: 200 });
    expect(paths()).toEqual([place, `/realms/one${OPENID}`, '/introspect']);
  });

  it.each([
    ['failed', json({}, 500), 1],
    ['was overloaded', json({}, 429), 1],
    ['had no metadata', json({}, 404), 2],
  ])('is discovered again if the server %s', async (_, reply, requests) => {
    const server = serverOf();
    const { [WELL_KNOWN]: good } = remote.replies;
    remote.replies[WELL_KNOWN] = reply;
    expect(await call(server)).toMatchObject(LATER);
    expect(paths()).toHaveLength(requests);
    remote.replies[WELL_KNOWN] = good!;
    expect(await call(server)).toMatchObject({ status: 200 });
    expect(warnings).not.toHaveBeenCalled();
  });

  it('is discovered again if the server has moved it', async () => {
    const server = serverOf();
    expect(await call(server, 'one')).toMatchObject({ status: 200 });
    remote.replies['/introspect'] = json({}, 404);
    remote.replies[WELL_KNOWN] = json({ issuer: remote.url, introspection_endpoint: `${remote.url}/moved` });
    remote.replies['/moved'] = json(said);
    expect(await call(server, 'other')).toMatchObject(LATER);
    expect(await call(server, 'other')).toMatchObject({ status: 200 });
  });

  it.each([
    ['of another issuer', { issuer: 'https://other.example' }, "`issuer` in its metadata ('https://other.example')"],
    [
      'of the issuer in another spelling',
      { issuer: 'URL/' },
      'must be equal: correct the configured issuer or the metadata',
    ],
    ['without an issuer', { issuer: undefined }, '`issuer` in its metadata (undefined)'],
    [
      'without an introspection endpoint',
      { introspection_endpoint: undefined },
      'contains no `introspection_endpoint` with an https URL',
    ],
    ['with an http endpoint', { introspection_endpoint: 'http://id.example/' }, 'with an https URL'],
    ['with an endpoint that is not a URL', { introspection_endpoint: '/introspect' }, 'with an https URL'],
    [
      'of a server that accepts no client secrets',
      { introspection_endpoint_auth_methods_supported: ['private_key_jwt', 'tls_client_auth'] },
      'does not accept client secrets',
    ],
  ])('is not used from metadata %s, which causes one warning', async (_, metadata, sentence) => {
    const text = JSON.stringify({ ...about(remote.url), ...metadata }).replace('"URL/"', `"${remote.url}/"`);
    remote.replies[WELL_KNOWN] = json(text);
    const server = serverOf();
    for (const token of ['one', 'other']) {
      const failed = await call(server, token);
      expect(failed).toMatchObject(LATER);
      expect(failed.error!.inner!.message).toContain(sentence);
    }
    expect(warnings.mock.calls).toEqual([[expect.stringContaining(sentence)]]);
    expect(remote.requestsTo('/introspect')).toEqual([]);
  });
});
