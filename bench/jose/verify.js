import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { JwtTokens } from 'nest-oauth2/jose';
import { median, medianRatio } from '../statistics.js';

const issuer = 'https://id.example.com';
const audience = 'https://notes.example.com';
const settings = { full: { rounds: 15, amount: 2000 }, brief: { rounds: 2, amount: 100 } };

/**
 * Measures the verification of a signed access token by `JwtTokens` and by plain `jose` with the same checks,
 * alternately.
 */
export async function measureVerify({ brief }) {
  const { rounds, amount } = settings[brief ? 'brief' : 'full'];
  const rows = [];
  for (const alg of ['ES256', 'RS256', 'PS256', 'EdDSA']) {
    const { bare, model } = await waysOf(alg);
    const samples = { bare: [], model: [] };
    for (let round = -1; round < rounds; round++) {
      const turn = Object.entries({ bare, model });
      for (const [name, way] of round % 2 ? turn : turn.toReversed()) {
        const before = process.cpuUsage();
        for (let i = 0; i < amount; i++) await way();
        const { user, system } = process.cpuUsage(before);
        if (round >= 0) samples[name].push((user + system) / amount);
      }
    }
    rows.push({
      alg,
      bare: median(samples.bare),
      model: median(samples.model),
      ratio: medianRatio(samples.model, samples.bare),
    });
  }
  return rows;
}

async function waysOf(alg) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg, kid: 'own' }] };
  const token = await new SignJWT({ client_id: 'web', scope: 'notes:read' })
    .setProtectedHeader({ alg, kid: 'own', typ: 'at+jwt' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('alice')
    .setJti('one')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  const keys = createLocalJWKSet(jwks);
  const checks = {
    issuer,
    audience,
    algorithms: [alg],
    typ: 'at+jwt',
    requiredClaims: ['sub', 'client_id', 'jti', 'exp', 'iat'],
  };
  const tokens = new JwtTokens({ issuer, audience, jwks, algorithms: [alg] });
  if (!(await tokens.getAccessToken(token))) throw new Error(`JwtTokens rejects a token signed with ${alg}`);
  return { bare: () => jwtVerify(token, keys, checks), model: () => tokens.getAccessToken(token) };
}
