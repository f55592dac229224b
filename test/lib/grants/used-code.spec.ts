import { beforeEach, describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { ALICE, CALLBACK, OTHER_CALLBACK, SECRET, WEB } from '../../support/model.js';
import {
  runOperation,
  authorizeRequest,
  basic,
  CHALLENGE,
  FORM,
  signedIn,
  tokenRequest,
  VERIFIER,
} from '../../support/requests.js';

const OTHER = { ...WEB, id: 'other', secret: 'another' };
const users = { findByCredentials: () => ALICE, findById: () => ALICE };

/** How a request presents the code. */
interface Attempt {
  body?: object;
  as?: { id: string; secret: string };
  /** How many seconds later the code is presented. */
  later?: number;
}

describe('an authorization code presented with wrong or missing parameters', () => {
  let store: MemoryStore;
  let server: OAuth2Server;
  let code: string;

  beforeEach(async () => {
    const clients = [{ ...WEB, secret: SECRET, scopes: ['read'] }, OTHER];
    store = new MemoryStore({ clients, users });
    server = new OAuth2Server({ model: store });
    const asked = authorizeRequest({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
    const { redirected } = await runOperation(server, 'authorize', asked, signedIn);
    code = String(redirected['code']);
  });

  async function bring({ body, as, later = 0 }: Attempt = {}) {
    const whole = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...body };
    const given = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
    const headers = as && { headers: { ...FORM, authorization: basic(as.id, as.secret) } };
    const now = Date.now;
    Date.now = () => now() + later * 1000;
    try {
      const { body: said } = await runOperation(server, 'token', tokenRequest(given, headers));
      return said as Record<string, string>;
    } finally {
      Date.now = now;
    }
  }
  const isAlive = async (token: string | undefined) => (await store.getAccessToken(token!)) !== undefined;

  const WITHOUT_PROOF: [string, Attempt][] = [
    ['no code_verifier', { body: { code_verifier: undefined } }],
    ['a wrong code_verifier', { body: { code_verifier: 'x'.repeat(43) } }],
    ['a malformed code_verifier', { body: { code_verifier: 'short' } }],
    ['no redirect_uri', { body: { redirect_uri: undefined } }],
    ['a wrong redirect_uri', { body: { redirect_uri: OTHER_CALLBACK } }],
    ['the credentials of another client', { as: OTHER }],
    ['an expired code', { later: 301 }],
  ];

  it.each(WITHOUT_PROOF)('does not revoke the tokens of a used code if the replay has %s', async (_, attempt) => {
    const { access_token, refresh_token } = await bring();
    expect(await bring(attempt)).toHaveProperty('error');
    expect(await isAlive(access_token)).toBe(true);
    const refreshed = await runOperation(server, 'token', tokenRequest({ grant_type: 'refresh_token', refresh_token }));
    expect(refreshed.status).toBe(200);
  });

  it('revokes the token family of a used code if the replay has the correct parameters', async () => {
    const { access_token } = await bring();
    expect(await bring()).toMatchObject({ error: 'invalid_grant' });
    expect(await isAlive(access_token)).toBe(false);
  });

  it.each(WITHOUT_PROOF.slice(0, 5))('is consumed on its first use with %s', async (_, attempt) => {
    expect(await bring(attempt)).toHaveProperty('error');
    expect(await bring()).toMatchObject({ error: 'invalid_grant' });
  });
});
