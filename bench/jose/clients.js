import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { requiredScope } from '../fixtures.js';

// The requests of clients with keys. Each has its own assertion and its own DPoP proof, because both are single-use.

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const now = () => Math.floor(Date.now() / 1000);
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const own = newKey();
const bound = newKey();
export const jwk = { ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'ES256', use: 'sig' };
const boundJwk = await exportJWK(bound.publicKey);

const assertion = (issuer) =>
  new SignJWT({ iss: 'web', sub: 'web', aud: issuer, iat: now(), exp: now() + 300, jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: 'own' })
    .sign(own.privateKey);

const proof = (htm, htu, token) =>
  new SignJWT({
    jti: randomUUID(),
    htm,
    htu,
    iat: now(),
    ...(token && { ath: createHash('sha256').update(token).digest('base64url') }),
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: boundJwk })
    .sign(bound.privateKey);

/** Returns a token request with `private_key_jwt`, and with a DPoP proof if tokens are sender-constrained. */
export async function tokenRequest({ issuer, tokenUrl }, isBound) {
  const form = { grant_type: 'client_credentials', scope: requiredScope, client_assertion_type: TYPE };
  return {
    method: 'POST',
    url: tokenUrl,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(isBound && { dpop: await proof('POST', tokenUrl) }),
    },
    body: new URLSearchParams({ ...form, client_assertion: await assertion(issuer) }).toString(),
  };
}

/** Returns a request to the resource with a DPoP-bound token. */
export const resourceRequest = async (url, token) => ({
  method: 'GET',
  url,
  headers: { authorization: `DPoP ${token}`, dpop: await proof('GET', url, token) },
});
