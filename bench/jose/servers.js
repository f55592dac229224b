import { createServer } from 'node:http';
import { OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { dpop, privateKeyJwt } from 'nest-oauth2/jose';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { Provider } from 'oidc-provider';
import { requiredScope, user } from '../fixtures.js';
import { guardedController, start } from '../http/applications.js';

/** The servers. Each listens on `port` and stores everything in memory. */
export const servers = {
  'nest-express': { title: 'nest-oauth2, Nest on Express', serve: (port, jwk) => serveNest('express', port, jwk) },
  'nest-fastify': { title: 'nest-oauth2, Nest on Fastify', serve: (port, jwk) => serveNest('fastify', port, jwk) },
  'oidc-provider': { title: 'oidc-provider 9.13.3', serve: serveProvider },
};

async function serveNest(platform, port, jwk) {
  const issuer = `http://127.0.0.1:${port}`;
  const model = new MemoryStore({
    clients: [
      {
        id: 'web',
        tokenEndpointAuthMethod: 'private_key_jwt',
        jwks: { keys: [jwk] },
        grants: ['client_credentials'],
        scopes: [requiredScope],
      },
    ],
    users: { findById: () => user, findByCredentials: () => user },
  });
  const application = {
    imports: [OAuth2Module.forRoot({ model, issuer, features: [privateKeyJwt(), dpop()] })],
    controllers: [guardedController(OAuthGuard, Scopes(requiredScope))],
  };
  await start(platform, application, port);
  return { issuer, tokenUrl: `${issuer}/oauth/token`, guardedUrl: `${issuer}/guarded` };
}

/** Starts oidc-provider. It has no guard for resources, so that only its token requests are measured. */
async function serveProvider(port, jwk) {
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'web',
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [jwk] },
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        scope: requiredScope,
      },
    ],
    scopes: [requiredScope],
    clientAuthMethods: ['private_key_jwt'],
    features: { clientCredentials: { enabled: true }, dPoP: { enabled: true }, devInteractions: { enabled: false } },
    ttl: { ClientCredentials: 3600 },
    cookies: { keys: ['of-the-benchmark'] },
  });
  await new Promise((resolve) => createServer(provider.callback()).listen(port, '127.0.0.1', resolve));
  return { issuer, tokenUrl: `${issuer}/token` };
}
