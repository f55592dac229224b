import { describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import { redeem, refresh } from '../../support/grants.js';
import { ALICE, CALLBACK } from '../../support/model.js';
import { answer, authorizeRequest, formRequest, signedIn, summary } from '../../support/requests.js';

// Issue 10, 1.12

describe('the scope that a code is redeemed for', () => {
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
  ])('is never more than that of the code: %j, and the model grants %j', async (scope, granted, expected) => {
    for (const scopeFormat of ['string', 'array']) {
      const { body, status } = await redeem({}, { scope }, { validateScope: () => granted }, { scopeFormat });
      expect([status, body['scope']]).toEqual([200, expected]);
    }
  });
});

/** A store whose client may lose scopes and gain them. */
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
    const { error, body } = await answer(server, 'token', formRequest({ ...credentials, ...form }));
    return error ? summary(error) : (body as { scope?: string; refresh_token: string });
  };
  const obtainCode = async (scope: string) => {
    const { redirected } = await answer(server, 'authorize', authorizeRequest({ scope }), signedIn);
    return { grant_type: 'authorization_code', code: redirected['code'], redirect_uri: CALLBACK };
  };
  const obtain = async (scope: string) => (await ask(await obtainCode(scope))) as { refresh_token: string };
  const again = (token: { refresh_token: string }, scope?: string) =>
    ask({ grant_type: 'refresh_token', refresh_token: token.refresh_token, scope });
  return { client, ask, obtain, obtainCode, again };
}

describe('a scope that is withdrawn from a client of a store', () => {
  it('is not granted any more when its token is refreshed, nor when it is given back', async () => {
    const { client, obtain, again } = createStore();
    const token = await obtain('read write');
    client.scopes = ['read'];
    const next = await again(token);
    expect(next).toMatchObject({ scope: 'read' });
    client.scopes = ['read', 'write'];
    expect(await again(next as { refresh_token: string })).toMatchObject({ scope: 'read' });
  });

  it('cannot be asked for by a refresh, which spends nothing', async () => {
    const { client, obtain, again } = createStore();
    const token = await obtain('read write');
    client.scopes = ['read'];
    expect(await again(token, 'write')).toBe('400 invalid_scope: Invalid scope: Unable to add extra scopes');
    expect(await again(token, 'read')).toMatchObject({ scope: 'read' });
  });

  it('is left out of what a code is redeemed for', async () => {
    const { client, ask, obtainCode } = createStore();
    const code = await obtainCode('read write');
    client.scopes = ['read'];
    expect(await ask(code)).toMatchObject({ scope: 'read' });
  });

  it('leaves a token without a scope when it was the only one', async () => {
    const { client, obtain, again } = createStore();
    const token = await obtain('write');
    client.scopes = ['read'];
    expect(await again(token)).not.toHaveProperty('scope');
  });

  it('and one that is added is granted to nobody who did not ask for it', async () => {
    const { client, obtain, again } = createStore();
    const token = await obtain('read');
    client.scopes = ['read', 'write', 'admin'];
    expect(await again(token)).toMatchObject({ scope: 'read' });
  });
});

describe('a classic model', () => {
  it('is not asked about scopes again when a token is refreshed', async () => {
    const { body, methods } = await refresh({}, {}, { validateScope: () => false });
    expect([body['scope'], methods.includes('validateScope')]).toEqual(['read write', false]);
  });
});
