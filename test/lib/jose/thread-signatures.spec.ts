import { scrypt } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { jwtAccessTokens, keys } from 'nest-oauth2/jose';
import { OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { basic, FORM, runOperation, tokenRequest } from '../../support/requests.js';
import { rsaKey } from '../../support/rsa-key.js';

/** Computes a hash as an application does that does not limit its hashes. */
const hashOfTheApplication = () =>
  new Promise<void>((resolve, reject) => {
    const options = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 27 };
    scrypt('password', 'salt', 32, options, (error) => (error ? reject(error) : resolve()));
  });

describe('tokens with RSA signatures', () => {
  it.each(['RS256', 'PS256'] as const)(
    'are signed with %s before the hashes that hold the threads end',
    async (alg) => {
      const store = new MemoryStore({ clients: [], users: { findById: () => undefined } });
      await store.saveClient({ id: 'web', secret: 'secret', grants: ['client_credentials'], scopes: ['read'] });
      const from = [{ ...rsaKey.export({ format: 'jwk' }), kid: 'k', alg }];
      const features = [keys({ from }), jwtAccessTokens({ audience: 'https://api.example.com' })];
      const server = new OAuth2Server({ model: store, issuer: 'https://id.example.com', features });
      const headers = { ...FORM, authorization: basic('web', 'secret') };
      const ask = () =>
        runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials', scope: 'read' }, { headers }));
      // The client secret is remembered, so that its hash needs no thread.
      await ask();
      let ended = 0;
      const hashes = Array.from({ length: 24 }, async () => {
        await hashOfTheApplication();
        ended += 1;
      });
      const { status, body } = await ask();
      const endedBefore = ended;
      expect([status, decodeProtectedHeader(String(body['access_token'])).alg]).toEqual([200, alg]);
      expect((await ask()).status).toBe(200);
      expect(ended).toBeLessThan(20);
      expect(endedBefore).toBeLessThan(16);
      await Promise.all(hashes);
    },
    120_000,
  );
});
