import { describe, expect, it } from '@jest/globals';
import { type Feature, revocation, serverMetadata, type ServerMetadataOptions } from 'nest-oauth2/features';
import { InvalidArgumentError, OAuth2Server, type OAuth2ServerOptions, Request } from 'nest-oauth2/server';

import { callEndpoint } from '../../support/clients/call-endpoint.js';
import { createTestModel } from '../../support/models/model.js';

const issuer = 'https://id.example';

interface Given extends Partial<OAuth2ServerOptions> {
  metadata?: ServerMetadataOptions;
  also?: Feature[];
  without?: string[];
}

function serverOf({ metadata, also = [], without = [], ...options }: Given = {}): OAuth2Server {
  const { model } = createTestModel(Object.fromEntries(without.map((name) => [name, undefined])));
  return new OAuth2Server({ model, issuer, features: [serverMetadata(metadata), ...also], ...options });
}

const read = (method = 'GET', headers = {}) => new Request({ method, headers, query: {}, body: {} });

async function documentOf(given: Given = {}): Promise<Record<string, unknown>> {
  const { status, body } = await callEndpoint(serverOf(given), 'server-metadata', read());
  expect(status).toBe(200);
  return body;
}

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'];

describe('the authorization server metadata (RFC 8414)', () => {
  it('describes the server, is public, and can be cached for an hour', async () => {
    expect(await callEndpoint(serverOf(), 'server-metadata', read())).toEqual({
      error: undefined,
      status: 200,
      headers: {
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=3600',
        'content-type': 'application/json',
      },
      body: {
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        token_endpoint_auth_methods_supported: AUTH_METHODS,
        response_types_supported: ['code'],
        response_modes_supported: ['query', 'fragment'],
        authorization_response_iss_parameter_supported: true,
        grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
      },
    });
  });

  it('does not depend on the host of the request', async () => {
    const server = serverOf();
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    const { body } = await callEndpoint(server, 'server-metadata', read('GET', headers));
    expect(body).toEqual(await documentOf());
  });

  it('is returned for GET and HEAD only', async () => {
    expect((await callEndpoint(serverOf(), 'server-metadata', read('HEAD'))).status).toBe(200);
    expect(await callEndpoint(serverOf(), 'server-metadata', read('POST'))).toEqual({
      error: expect.objectContaining({ code: 405 }),
      status: 405,
      headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-store' },
      body: { error: 'invalid_request', error_description: 'Invalid request: method must be GET or HEAD' },
    });
  });

  it('lists only grants and response types that the model supports', async () => {
    const metadata = { grantTypes: () => true };
    const { grant_types_supported: grants } = await documentOf({ metadata, without: ['getUser', 'getRefreshToken'] });
    expect(grants).toEqual(['authorization_code', 'client_credentials', 'implicit']);
    expect(await documentOf({ metadata, without: ['revokeAuthorizationCode'] })).toMatchObject({
      response_types_supported: ['token'],
      response_modes_supported: ['fragment'],
      grant_types_supported: ['client_credentials', 'password', 'refresh_token', 'implicit'],
    });
  });

  it('omits the authorization endpoint if the server has none', async () => {
    const { model } = createTestModel();
    const server = new OAuth2Server({ model, issuer, features: [serverMetadata()] });
    server.mount({ authorize: false });
    expect((await callEndpoint(server, 'server-metadata', read())).body).toEqual({
      issuer,
      token_endpoint: `${issuer}/oauth/token`,
      token_endpoint_auth_methods_supported: AUTH_METHODS,
      response_types_supported: [],
      grant_types_supported: ['client_credentials', 'refresh_token'],
    });
  });

  it('lists extension grants, and only the grants in the option `grantTypes`', async () => {
    const extendedGrantTypes = { 'urn:example:x': class {} as never };
    const metadata = { grantTypes: ['authorization_code', 'refresh_token', 'urn:example:x'] };
    expect(await documentOf({ extendedGrantTypes, metadata })).toMatchObject({
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:example:x'],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'fragment'],
    });
  });

  it('lists the password grant and the implicit grant only if the application or a feature adds them', async () => {
    expect(await documentOf({ metadata: { grantTypes: () => true } })).toMatchObject({
      grant_types_supported: ['authorization_code', 'client_credentials', 'password', 'refresh_token', 'implicit'],
      response_types_supported: ['code', 'token'],
    });
    const extendedGrantTypes = { password: class {} as never };
    expect(await documentOf({ extendedGrantTypes })).toMatchObject({
      grant_types_supported: ['authorization_code', 'client_credentials', 'password', 'refresh_token'],
      response_types_supported: ['code'],
    });
  });

  it('lists the code_challenge_method `plain` if it is enabled', async () => {
    const { code_challenge_methods_supported: methods } = await documentOf({ enablePlainPKCE: true });
    expect(methods).toEqual(['S256', 'plain']);
  });

  it('contains members of the application and of other features', async () => {
    const metadata = { scopes: ['read', 'write'], maxAge: 60, members: { op_policy_uri: 'https://id.example/policy' } };
    const feature: Feature = {
      id: 'a feature of the host',
      install: () => ({
        metadata: () => ({ issuer: 'https://evil.example', response_modes_supported: ['jwt'], x: true, y: [] }),
      }),
    };
    const server = serverOf({ metadata, also: [feature, revocation()] });
    const { headers, body } = await callEndpoint(server, 'server-metadata', read());
    expect(headers['cache-control']).toBe('public, max-age=60');
    expect(body).toMatchObject({
      issuer,
      op_policy_uri: 'https://id.example/policy',
      response_modes_supported: ['query', 'fragment', 'jwt'],
      revocation_endpoint: `${issuer}/oauth/revoke`,
      revocation_endpoint_auth_methods_supported: AUTH_METHODS,
      scopes_supported: ['read', 'write'],
      x: true,
    });
    expect(body).not.toHaveProperty('y');
  });

  it('lists the authentication method `none` only for endpoints that accept public clients', async () => {
    const at = (clients: 'all' | 'confidential') => ({
      path: `oauth/${clients}`,
      methods: ['POST'],
      metadata: `${clients}_endpoint`,
      clients,
      make: () => ({ async handle() {} }),
    });
    const also = [{ id: 'two', endpoints: { all: at('all'), confidential: at('confidential') } }];
    expect(await documentOf({ also })).toMatchObject({
      all_endpoint_auth_methods_supported: AUTH_METHODS,
      confidential_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    });
  });

  it.each<[string, string]>([
    ['https://id.example/a', 'https://id.example/a/oauth/token'],
    ['https://id.example/a/', 'https://id.example/a/oauth/token'],
    ['http://localhost:3000', 'http://localhost:3000/oauth/token'],
    ['http://[::1]:3000', 'http://[::1]:3000/oauth/token'],
    ['http://127.0.0.1', 'http://127.0.0.1/oauth/token'],
  ])('contains the issuer %s as the application spells it', async (given, token) => {
    expect(await documentOf({ issuer: given })).toMatchObject({ issuer: given, token_endpoint: token });
  });
});

describe('serverMetadata()', () => {
  const neither = (given: string) =>
    `\`serverMetadata()\` requires an \`issuer\` that is an https URL without query and fragment, or an http URL of localhost. Got \`${given}\``;

  it.each<[string, Given, string]>([
    [
      'a missing issuer',
      { issuer: undefined },
      '`serverMetadata()` requires the option `issuer`: the https URL that identifies this server to clients',
    ],
    ...[
      'http://id.example',
      'https://id.example?a=b',
      'https://id.example#a',
      'https://me@id.example',
      'id.example',
      'https://',
      'http://127.0.0.1.evil.example',
    ].map((given): [string, Given, string] => [`the issuer ${given}`, { issuer: given }, neither(given)]),
    [
      'an invalid scope',
      { metadata: { scopes: ['a b'] } },
      '`scopes` of `serverMetadata()` contains `a b`, which is not a valid scope value',
    ],
    [
      'a grant that the server does not support',
      { metadata: { grantTypes: ['password'] }, without: ['getUser'] },
      '`grantTypes` of `serverMetadata()` contains `password`, which the server does not support',
    ],
    [
      'a misspelled option',
      { metadata: { scope: ['a'] } as object },
      'unknown option `scope` of `serverMetadata()`: the options are `scopes`, `grantTypes`, `maxAge` and `members`. Did you mean `scopes`?',
    ],
    [
      'a member that the server derives itself',
      { metadata: { members: { token_endpoint: 'https://evil.example' } } },
      '`members` of `serverMetadata()` must not contain `token_endpoint`: the server sets it itself',
    ],
    [
      'scopes in `members`',
      { metadata: { members: { scopes_supported: [] } } },
      '`members` of `serverMetadata()` must not contain `scopes_supported`: set the option `scopes` instead',
    ],
    [
      'signed metadata in `members`',
      { metadata: { members: { signed_metadata: 'x' } } },
      '`members` of `serverMetadata()` must not contain `signed_metadata`: add the feature `signedMetadata()` instead',
    ],
    [
      'an invalid `maxAge`',
      { metadata: { maxAge: 'x' as never } },
      "`maxAge` of `serverMetadata()` must be a number of seconds, 0 or more. Got 'x'",
    ],
  ])('rejects at start-up %s', (_name, given, sentence) => {
    expect(() => serverOf(given)).toThrow(new InvalidArgumentError(`Invalid argument: ${sentence}`));
  });
});
