import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jwtBearer } from 'nest-oauth2/jose';
import { OAuth2Server, Response } from 'nest-oauth2/server';

import { ForeignIssuer } from '../../support/servers/foreign-issuer.js';
import { basic, FORM, formRequest } from '../../support/clients/requests.js';
import { type AnyStore, findStores, type OpenStore } from '../every-store.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ISSUER = 'https://id.example.com';
const API = 'https://api.example.com/';

describe.each(await findStores())('a JWT authorization grant, with a store in $name', ({ open }) => {
  let opened: OpenStore;
  let idp: ForeignIssuer;
  beforeAll(async () => {
    opened = await open();
    idp = await ForeignIssuer.make('https://idp.example');
    await opened.store.saveClient({ id: 'app', secret: 'secret', grants: [GRANT], scopes: ['read'] });
  });
  afterAll(() => opened.close());

  async function redeem(store: AnyStore, assertion: string) {
    const model = Object.assign(Object.create(store) as AnyStore, { findAssertedUser: () => ({ id: 'alice' }) });
    const issuers = [{ issuer: idp.issuer, jwks: idp.jwks, profile: 'id-jag' as const }];
    const server = new OAuth2Server({ model, issuer: ISSUER, features: [jwtBearer({ issuers })] });
    const response = new Response();
    const headers = { ...FORM, authorization: basic('app', 'secret') };
    await server.token(formRequest({ grant_type: GRANT, assertion }, { headers }), response).catch(() => undefined);
    return response.body as { access_token: string; error?: string };
  }

  it('a JWT authorization grant is redeemed once across processes, for a token that stores its claims', async () => {
    const said = { act: { sub: 'agent' }, auth_time: 1_700_000_000, acr: 'gold', amr: ['hwk'] };
    const claims = { sub: 'U1', aud: ISSUER, client_id: 'app', scope: 'read', resource: API, ...said };
    const assertion = await idp.sign(claims, { typ: 'oauth-id-jag+jwt' });
    const { store, another } = opened;
    const responses = await Promise.all([store, another, store, another].map((one) => redeem(one, assertion)));
    const [first, ...others] = responses.toSorted((one) => (one.error === undefined ? -1 : 1));
    expect(others).toMatchObject(Array.from({ length: 3 }, () => ({ error: 'invalid_grant' })));
    const kept = { user: { id: 'alice' }, client: { id: 'app' }, resource: [API], ...said };
    expect(await another.getAccessToken(first!.access_token)).toMatchObject(kept);
  });
});
