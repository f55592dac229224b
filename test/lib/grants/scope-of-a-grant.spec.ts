import { describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import { redeem, refresh } from '../../support/models/grants.js';
import { ALICE, CALLBACK } from '../../support/models/model.js';
import { runOperation, authorizeRequest, formRequest, signedIn, summary } from '../../support/clients/requests.js';

describe('the scope of an authorization code when it is redeemed', () => {
  it.each([
    [undefined, 'read write', undefined],
    [null, ['read'], undefined],
    ['', 'read', undefined],
    ['read', 'read write', 'read'],
    ['read', ['write', 'read'], 'read'],
    [['read', 'write'], 'write extra read', 'write read'],
    ['read write', 'read', 'read'],
    ['read', 'write', undefined],
    ['read write', true, 'read write'],
  ])(
    'is never wider than that of the code: code scope %j, validateScope() returns %j, granted scope %j',
    async (scope, granted, expected) => {
      for (const scopeFormat of ['string', 'array']) {
        const { body, status } = await redeem({}, { scope }, { validateScope: () => granted }, { scopeFormat });
        expect([status, body['scope']]).toEqual([200, expected]);
      }
    },
  );
});

/** Creates a server on a store with a client whose scopes a test can change. */
function createStore() {
  const client = {
    id: 'web',
    secret: 's3cret',
    grants: ['authorization_code', 'refresh_token'],
    redirectUris: [CALLBACK],
    scopes: ['read', 'write'],
  } satisfies StoredClient;
  const users = { findById: () => ALICE, findByCredentials: () => ALICE };
  const server = new OAuth2Server({ model: new MemoryStore({ clients: { findById: () => client }, users }) });
  const credentials = { client_id: 'web', client_secret: 's3cret' };
  const ask = async (form: object) => {
    const { error, body } = await runOperation(server, 'token', formRequest({ ...credentials, ...form }));
    return error ? summary(error) : (body as { scope?: string; refresh_token: string });
  };
  const obtainCode = async (scope: string) => {
    const { redirected } = await runOperation(server, 'authorize', authorizeRequest({ scope }), signedIn);
    return { grant_type: 'authorization_code', code: redirected['code'], redirect_uri: CALLBACK };
  };
  const obtain = async (scope: string) => (await ask(await obtainCode(scope))) as { refresh_token: string };
  const again = (token: { refresh_token: string }, scope?: string) =>
    ask({ grant_type: 'refresh_token', refresh_token: token.refresh_token, scope });
  return { client, ask, obtain, obtainCode, again };
}

describe('grants after the scopes of a client in a store have changed', () => {
  it('drop a withdrawn scope in a refresh, and do not restore it when the client gets it back', async () => {
    const { client, obtain, again } = createStore();
    const token = await obtain('read write');
    client.scopes = ['read'];
    const next = await again(token);
    expect(next).toMatchObject({ scope: 'read' });
    client.scopes = ['read', 'write'];
    expect(await again(next as { refresh_token: string })).toMatchObject({ scope: 'read' });
  });

  it('reject a refresh that requests a withdrawn scope, without consuming the token', async () => {
    const { client, obtain, again } = createStore();
    const token = await obtain('read write');
    client.scopes = ['read'];
    expect(await again(token, 'write')).toBe('400 invalid_scope: Invalid scope: Unable to add extra scopes');
    expect(await again(token, 'read')).toMatchObject({ scope: 'read' });
  });

  it('drop a withdrawn scope when a code is redeemed', async () => {
    const { client, ask, obtainCode } = createStore();
    const code = await obtainCode('read write');
    client.scopes = ['read'];
    expect(await ask(code)).toMatchObject({ scope: 'read' });
  });

  it('return no scope in a refresh if the only one was withdrawn', async () => {
    const { client, obtain, again } = createStore();
    const token = await obtain('write');
    client.scopes = ['read'];
    expect(await again(token)).not.toHaveProperty('scope');
  });

  it('do not add a scope that the client was given later', async () => {
    const { client, obtain, again } = createStore();
    const token = await obtain('read');
    client.scopes = ['read', 'write', 'admin'];
    expect(await again(token)).toMatchObject({ scope: 'read' });
  });
});

describe('refresh token grant with a model written for oauth2-server', () => {
  it('does not call validateScope() of the model', async () => {
    const { body, methods } = await refresh({}, {}, { validateScope: () => false });
    expect([body['scope'], methods.includes('validateScope')]).toEqual(['read write', false]);
  });
});
