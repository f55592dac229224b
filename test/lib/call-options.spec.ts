import { describe, expect, it } from '@jest/globals';
import { fapi2 } from 'nest-oauth2/fapi';
import { mcp } from 'nest-oauth2/mcp';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import type { Feature } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { runOperation, authorizeRequest, CHALLENGE, FORM, resourceRequest } from '../support/clients/requests.js';

const CALLBACK = 'https://app.example/cb';
const client = { id: 'web', grants: ['authorization_code'], redirectUris: [CALLBACK], scopes: ['read'] };

function serverWith(features: readonly (Feature | readonly Feature[])[]) {
  const model = new MemoryStore({
    clients: [{ ...client, tokenEndpointAuthMethod: 'none' }],
    users: { findById: () => ({ id: 'alice' }), findByCredentials: () => undefined },
  });
  return new OAuth2Server({ model, issuer: 'https://id.example.com', features });
}

const fapi = () => serverWith([fapi2()]);
const forMcp = () => serverWith([mcp()]);
const query = { redirect_uri: CALLBACK, code_challenge: CHALLENGE, code_challenge_method: 'S256' };
const authenticateHandler = { handle: () => ({ id: 'alice' }) };

const refusedBy = (option: string) => ({
  name: 'server_error',
  message: expect.stringContaining(`remove the option \`${option}\``),
});

describe.each([
  ['fapi2()', fapi, 'authorizationCodeLifetime', 86_400],
  ['fapi2()', fapi, 'requirePKCE', 'none'],
  ['fapi2()', fapi, 'enablePlainPKCE', true],
  ['mcp()', forMcp, 'requirePKCE', 'public'],
  ['mcp()', forMcp, 'enablePlainPKCE', true],
] as const)('a server with %s', (_name, create, option, value) => {
  it(`a profile makes authorize() reject the call option ${option}: ${value}`, async () => {
    const server = create();
    const options = { authenticateHandler, [option]: value };
    const { error, headers } = await runOperation(server, 'authorize', authorizeRequest(query), options);
    expect(error).toMatchObject(refusedBy(option));
    expect(headers['location']).toBeUndefined();
  });

  it(`a profile makes readAuthorizationRequest() reject the call option ${option}: ${value}`, async () => {
    const read = create().readAuthorizationRequest(authorizeRequest(query), new Response(), { [option]: value });
    await expect(read).rejects.toMatchObject(refusedBy(option));
  });
});

describe.each([
  ['fapi2()', fapi],
  ['mcp()', forMcp],
])('a server with %s', (_name, create) => {
  it('a profile makes authenticate() reject a call that allows access tokens in a URL', async () => {
    const options = { scope: 'read', allowBearerTokensInQueryString: true };
    const { error } = await runOperation(create(), 'authenticate', resourceRequest(), options);
    expect(error).toMatchObject(refusedBy('allowBearerTokensInQueryString'));
  });

  it('a profile lets authenticate() accept call options that the profile does not restrict', async () => {
    const options = { scope: ['read'], addAcceptedScopesHeader: false };
    const { error } = await runOperation(create(), 'authenticate', resourceRequest(), options);
    expect(error).toMatchObject({ name: 'invalid_token' });
  });
});

it('mcp() accepts a call of authorize() with a code lifetime that the profile allows', async () => {
  const options = { authenticateHandler, authorizationCodeLifetime: 30 };
  const { redirected } = await runOperation(forMcp(), 'authorize', authorizeRequest(query), options);
  expect(redirected).toMatchObject({ code: expect.any(String) });
});

describe('callMisconfigurations() of a feature', () => {
  const observing = () => {
    const seen: object[] = [];
    const feature: Feature = {
      id: 'Observer',
      install: () => ({
        callMisconfigurations(options) {
          seen.push(options);
          return [];
        },
      }),
    };
    return { seen, server: serverWith([feature]) };
  };

  it('receives the options of the call merged with those of the server', async () => {
    const { seen, server } = observing();
    const request = new Request({ method: 'POST', headers: FORM, query: {}, body: {} });
    await runOperation(server, 'token', request, { accessTokenLifetime: 7 });
    expect(seen).toEqual([expect.objectContaining({ accessTokenLifetime: 7, requirePKCE: 'public' })]);
  });

  it('is called once for calls of authenticate() with the same options, and not for calls without options', async () => {
    const { seen, server } = observing();
    for (const options of [undefined, { scope: 'read' }, { scope: 'read' }]) {
      await runOperation(server, 'authenticate', resourceRequest(), options);
    }
    expect(seen).toEqual([expect.objectContaining({ scope: 'read' })]);
  });
});

it('a call of authenticate() requires the current values of a scope list that was changed since the last call', async () => {
  const server = serverWith([]);
  const options = { scope: ['read'] };
  const required = async () => (await runOperation(server, 'authenticate', resourceRequest(), options)).headers;
  expect(await required()).toMatchObject({ 'x-accepted-oauth-scopes': 'read' });
  options.scope.push('write');
  expect(await required()).toMatchObject({ 'x-accepted-oauth-scopes': 'read write' });
});
