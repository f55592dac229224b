import { randomUUID } from 'node:crypto';
import { OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { requiredScope } from '../fixtures.js';
import { guardedController, start } from '../http/applications.js';

/** The server runs behind a proxy that terminates TLS, as its issuer says. */
export const issuer = 'https://id.example.com';
const audience = 'https://notes.example.com';
const secret = 'of-the-benchmark-and-of-nothing-else-in-the-world';

/**
 * Starts an authorization server with the login pages and a guarded route.
 * @param options `alg`: the algorithm that signs access tokens. If omitted, access tokens are opaque.
 */
export async function startServer({ platform, model, alg }) {
  const features = [pages({ site: 'Notes', scopes: { [requiredScope]: 'Read your notes' } })];
  if (alg) {
    const { jwtAccessTokens, keys } = await import('nest-oauth2/jose');
    features.push(keys({ secret, algorithms: [alg] }), jwtAccessTokens({ audience }));
  }
  return start(platform, {
    imports: [OAuth2Module.forRoot({ model, issuer, secret, features })],
    controllers: [guardedController(OAuthGuard, Scopes(requiredScope))],
  });
}

/**
 * Starts an API that verifies signed access tokens. Resolves to the application and to a function that signs new tokens
 * for it.
 */
export async function startApi({ platform, alg }) {
  const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
  const { JwtTokens } = await import('nest-oauth2/jose');
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg, kid: 'own' }] };
  const newToken = () =>
    new SignJWT({ client_id: 'web', scope: requiredScope })
      .setProtectedHeader({ alg, kid: 'own', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('alice')
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  const app = await start(platform, {
    imports: [OAuth2Module.forRoot({ controllers: false, model: new JwtTokens({ issuer, audience, jwks }) })],
    controllers: [guardedController(OAuthGuard, Scopes(requiredScope))],
  });
  return { app, newTokens: (count) => Promise.all(Array.from({ length: count }, newToken)) };
}
