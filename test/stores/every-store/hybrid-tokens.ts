import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';

import { EC } from '../../support/servers/openid-server.js';
import { CHALLENGE, FORM, VERIFIER } from '../../support/clients/requests.js';
import { type AnyStore, findStores, type OpenStore } from '../every-store.js';

// RFC 6749 §4.1.2, OpenID Connect Core §3.3: a token issued together with a code belongs to the same grant.

const ISSUER = 'https://id.example.com';
const CALLBACK = 'https://app.example/callback';

describe.each(await findStores())('an access token of the hybrid flow with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
    await opened.store.saveClient({
      id: 'hybrid',
      grants: ['authorization_code', 'implicit', 'refresh_token'],
      redirectUris: [CALLBACK],
      scopes: ['openid'],
      tokenEndpointAuthMethod: 'none',
    });
  });
  afterAll(() => opened.close());

  const serverOn = (store: AnyStore) =>
    new OAuth2Server({
      model: Object.assign(store, { getClaims: () => ({}) }),
      issuer: ISSUER,
      features: [keys({ from: [EC] }), openid({ alg: 'ES256', responseTypes: ['code token'] })],
    });

  async function authorize(store: AnyStore) {
    const query = {
      response_type: 'code token',
      client_id: 'hybrid',
      redirect_uri: CALLBACK,
      scope: 'openid',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    };
    const response = new Response();
    const handler = { authenticateHandler: { handle: () => ({ id: 'alice' }) } };
    await serverOn(store).authorize(new Request({ method: 'GET', headers: {}, query, body: {} }), response, handler);
    const answer = new URLSearchParams(response.headers['location']!.split('#')[1]);
    return { code: answer.get('code')!, token: answer.get('access_token')! };
  }

  const post = (store: AnyStore, grant: object) => {
    const body = { client_id: 'hybrid', redirect_uri: CALLBACK, code_verifier: VERIFIER, ...grant };
    return serverOn(store).token(new Request({ method: 'POST', headers: FORM, query: {}, body }), new Response());
  };
  const redeem = (store: AnyStore, code: string) => post(store, { grant_type: 'authorization_code', code });
  const use = (store: AnyStore, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return serverOn(store).authenticate(new Request({ method: 'GET', headers, query: {} }), new Response());
  };

  it('an access token of the hybrid flow belongs to the grant of the code, and is revoked when the code is replayed', async () => {
    const { store, another } = opened;
    const { code, token } = await authorize(store);
    const untouched = await authorize(store);
    expect(await use(another, token)).toMatchObject({ user: { id: 'alice' }, scope: 'openid' });
    const { accessToken, refreshToken } = await redeem(another, code);
    expect((await use(store, accessToken)).grantId).toBe((await use(store, token)).grantId);
    expect(await store.listGrants('alice')).toHaveLength(2);

    await expect(redeem(store, code)).rejects.toMatchObject({ name: 'invalid_grant' });
    for (const ended of [token, accessToken]) {
      for (const one of [store, another]) {
        await expect(use(one, ended)).rejects.toMatchObject({ name: 'invalid_token' });
      }
    }
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken };
    await expect(post(another, refresh)).rejects.toMatchObject({ name: 'invalid_grant' });
    expect(await use(another, untouched.token)).toMatchObject({ user: { id: 'alice' } });
  });

  it('an access token of the hybrid flow is revoked with its grant before the code is redeemed, which then fails', async () => {
    const { store, another } = opened;
    const { code, token } = await authorize(store);
    await store.revokeGrant((await use(store, token)).grantId!);
    await expect(use(another, token)).rejects.toMatchObject({ name: 'invalid_token' });
    await expect(redeem(another, code)).rejects.toMatchObject({ name: 'invalid_grant' });
  });
});
