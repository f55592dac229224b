import { scrypt } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { jwtAccessTokens, keys } from 'nest-oauth2/jose';
import { OAuth2Server } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { useRealScrypt } from '../../support/environment/real-scrypt.js';
import { basic, FORM, runOperation, tokenRequest } from '../../support/clients/requests.js';
import { rsaKey } from '../../support/keys/rsa-key.js';

useRealScrypt();

/** Computes a hash as an application does that does not limit its hashes. */
const hashOfTheApplication = () =>
  new Promise<void>((resolve, reject) => {
    const options = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 27 };
    scrypt('password', 'salt', 32, options, (error) => (error ? reject(error) : resolve()));
  });

/** Returns a function that requests a token which is signed with the algorithm. */
async function issuerOf(alg: 'RS256' | 'PS256') {
  const store = new MemoryStore({ clients: [], users: { findById: () => undefined } });
  await store.saveClient({ id: 'web', secret: 'secret', grants: ['client_credentials'], scopes: ['read'] });
  const from = [{ ...rsaKey.export({ format: 'jwk' }), kid: 'k', alg }];
  const features = [keys({ from }), jwtAccessTokens({ audience: 'https://api.example.com' })];
  const server = new OAuth2Server({ model: store, issuer: 'https://id.example.com', features });
  const headers = { ...FORM, authorization: basic('web', 'secret') };
  return () =>
    runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials', scope: 'read' }, { headers }));
}

describe('tokens with RSA signatures', () => {
  it('are signed with RS256 and PS256 before the hashes that hold the threads end', async () => {
    const algorithms = ['RS256', 'PS256'] as const;
    const requests = await Promise.all(algorithms.map(issuerOf));
    // The client secret is remembered, so that its hash needs no thread.
    for (const ask of requests) await ask();
    let ended = 0;
    const hashes = Array.from({ length: 24 }, async () => {
      await hashOfTheApplication();
      ended += 1;
    });
    for (const [index, ask] of requests.entries()) {
      const { status, body } = await ask();
      const endedBefore = ended;
      const { alg } = decodeProtectedHeader(String(body['access_token']));
      expect([status, alg]).toEqual([200, algorithms[index]]);
      expect(endedBefore).toBeLessThan(16);
    }
    await Promise.all(hashes);
  });
});
