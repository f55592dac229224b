import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { JwtTokens } from 'nest-oauth2/jose';
import { median, medianRatio } from '../statistics.js';

const issuer = 'https://id.example.com';
const audience = 'https://notes.example.com';
const settings = { full: { rounds: 15, amount: 2000 }, brief: { rounds: 2, amount: 100 } };

/** The number of tokens that take turns. More than `JwtTokens` remembers, so that it verifies each signature. */
const TOKENS = 12_000;

/**
 * Measures the verification of signed access tokens by `JwtTokens` and by plain `jose` with the same checks,
 * alternately: of tokens that are new to the server, and of one token that is sent again and again.
 */
export async function measureVerify({ brief }) {
  const { rounds, amount } = settings[brief ? 'brief' : 'full'];
  const rows = [];
  for (const alg of ['ES256', 'RS256', 'PS256', 'EdDSA']) {
    const variants = await variantsOf(alg, brief ? 100 : TOKENS);
    const samples = { bare: [], model: [], repeated: [] };
    for (let round = -1; round < rounds; round++) {
      const turn = Object.entries(variants);
      for (const [name, verify] of round % 2 ? turn : turn.toReversed()) {
        const before = process.cpuUsage();
        for (let i = 0; i < amount; i++) await verify();
        const { user, system } = process.cpuUsage(before);
        if (round >= 0) samples[name].push((user + system) / amount);
      }
    }
    rows.push({
      alg,
      bare: median(samples.bare),
      model: median(samples.model),
      ratio: medianRatio(samples.model, samples.bare),
      repeated: median(samples.repeated),
      repeatedRatio: medianRatio(samples.repeated, samples.bare),
    });
  }
  return rows;
}

async function variantsOf(alg, count) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg, kid: 'own' }] };
  const newToken = (_, number) =>
    new SignJWT({ client_id: 'web', scope: 'notes:read' })
      .setProtectedHeader({ alg, kid: 'own', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('alice')
      .setJti(String(number))
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  const list = await Promise.all(Array.from({ length: count }, newToken));
  const keys = createLocalJWKSet(jwks);
  const checks = {
    issuer,
    audience,
    algorithms: [alg],
    typ: 'at+jwt',
    requiredClaims: ['sub', 'client_id', 'jti', 'exp', 'iat'],
  };
  const [tokens, repeated] = [1, 2].map(() => new JwtTokens({ issuer, audience, jwks, algorithms: [alg] }));
  if (!(await tokens.getAccessToken(list[0]))) throw new Error(`JwtTokens rejects a token signed with ${alg}`);
  let [ofBare, ofModel] = [0, 0];
  return {
    bare: () => jwtVerify(list[ofBare++ % count], keys, checks),
    model: () => tokens.getAccessToken(list[ofModel++ % count]),
    repeated: () => repeated.getAccessToken(list[0]),
  };
}
