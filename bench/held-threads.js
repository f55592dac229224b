// Compares the time of an RS256 token while passwords are hashed with the time of one alone: `node bench/held-threads.js`.
import { generateKeyPairSync, scrypt } from 'node:crypto';
import { jwtAccessTokens, keys } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore, newClientSecret, verifyPassword } from 'nest-oauth2/stores/memory';
import { median } from './statistics.js';

const SIGN_INS = 10;
const ROUNDS = 10;

const { secret, secretHash } = newClientSecret();
const store = new MemoryStore({ clients: [], users: { findById: () => undefined } });
await store.saveClient({ id: 'web', secretHashes: [secretHash], grants: ['client_credentials'], scopes: ['read'] });
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const from = [{ ...privateKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }];
const features = [keys({ from }), jwtAccessTokens({ audience: 'https://api.example.com' })];
const server = new OAuth2Server({ model: store, issuer: 'https://id.example.com', features });

/** Returns the milliseconds that a token request takes. */
async function token() {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from(`web:${secret}`).toString('base64')}`,
  };
  const body = { grant_type: 'client_credentials', scope: 'read' };
  const start = performance.now();
  await server.token(new Request({ method: 'POST', headers, query: {}, body }), new Response());
  return performance.now() - start;
}

/** Returns the median time of a token while ten passwords are hashed. */
async function during(hash) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const hashes = Array.from({ length: SIGN_INS }, (_, index) => hash(index));
    await new Promise((resolve) => setTimeout(resolve, 5));
    times.push(await token());
    await Promise.all(hashes);
  }
  return median(times);
}

/** Hashes a password as an application does that does not limit its hashes. */
const unlimited = () =>
  new Promise((resolve) => {
    scrypt('password', 'salt', 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 27 }, resolve);
  });

const alone = [];
for (let round = 0; round < 50; round += 1) alone.push(await token());
const base = median(alone);
const library = await during((index) => verifyPassword('password', undefined, { network: `192.0.2.${index}` }));
const own = await during(unlimited);
const ratio = (time) => `${time.toFixed(1)} ms, ${(time / base).toFixed(0)} times the time alone`;
console.log(`alone: ${base.toFixed(2)} ms`);
console.log(`during ${SIGN_INS} sign-ins with hashes of the library: ${ratio(library)}`);
console.log(`during ${SIGN_INS} sign-ins with hashes without limit: ${ratio(own)}`);
