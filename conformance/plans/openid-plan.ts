import { randomBytes } from 'node:crypto';

import type { OAuth2ModuleOptions } from 'nest-oauth2';
import { type Feature, serverMetadata } from 'nest-oauth2/features';
import { keys, signingKeys } from 'nest-oauth2/jose';
import { openid, type OpenIdOptions } from 'nest-oauth2/openid';
import type { StoredClient } from 'nest-oauth2/stores/memory';

import { PASSWORD } from '../host/store.js';
import { agreeAgain, consentPage, errorPage, signOut, signOutHere, signOutRefused } from './browser.js';
import type { ConformancePlan, Stage } from './plan.js';

export const SCOPES = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];
export const GRANTS = ['authorization_code', 'refresh_token', 'implicit'];

/** The settings in which a plan differs from others. */
export interface Own {
  features?: (stage: Stage) => readonly Feature[];
  options?: OpenIdOptions;
  server?: Partial<OAuth2ModuleOptions>;
  /** Additional fields of the clients. `place` is the path of the plan in the suite. */
  client?: (place: string) => Partial<StoredClient>;
}

/**
 * Returns a plan of OpenID Connect. The provider signs with RS256, and the clients have the names that the suite
 * expects.
 */
export function openIdPlan(
  name: string,
  { plan, ...variant }: Record<string, string> & { plan?: string },
  { features = () => [], options, server, client = () => ({}) }: Own = {},
): ConformancePlan {
  return {
    name,
    plan: plan === undefined ? 'oidcc-test-plan' : `oidcc-${plan}-certification-test-plan`,
    variant,
    // All clients of a run share one JWKS URL, which is fetched at most every 30 seconds for unknown keys.
    pauses: { 'oidcc-refresh-token-rp-key-rotation': 31 },
    prepare(stage) {
      const { issuer, suite } = stage;
      const place = `${suite}/test/a/${name}`;
      const isStatic = variant['client_registration'] === 'static_client';
      const clients = Object.entries(METHODS).map(([id, method]) =>
        Object.assign(newClient(id, method, place), client(place)),
      );
      const said = isStatic
        ? clients.map(({ id, secret }) => [id, { client_id: id, client_secret: secret }])
        : ['client', 'client2'].map((id) => [id, { client_name: `The self-registered ${id}` }]);
      return Promise.resolve({
        host: {
          features: [
            serverMetadata({ scopes: SCOPES }),
            keys({ secret: randomBytes(32).toString('hex'), algorithms: ['RS256'] }),
            openid({ acrValues: [PASSWORD.acr], ...options }),
            ...features(stage),
          ],
          clients: isStatic ? clients : [],
          ...(server && { options: server }),
        },
        configuration: {
          alias: name,
          server: { discoveryUrl: `${issuer}/.well-known/openid-configuration`, login_hint: 'alice' },
          ...Object.fromEntries(said),
          browser: signOut,
          override: OVERRIDES,
        },
        meanwhile: { 'oidcc-server-rotate-keys': (running) => signingKeys(running).rotate() },
      });
    },
  };
}

/** The client authentication methods by the names of the suite's clients. */
const METHODS = {
  client: 'client_secret_basic',
  client2: 'client_secret_basic',
  client_secret_post: 'client_secret_post',
};

const newClient = (id: string, tokenEndpointAuthMethod: string, place: string): StoredClient => ({
  id,
  name: `The client ${id}`,
  tokenEndpointAuthMethod,
  secret: `the public test secret of the client ${id}`,
  grants: GRANTS,
  redirectUris: [`${place}/callback`],
  postLogoutRedirectUris: [`${place}/post_logout_redirect`],
  scopes: SCOPES,
});

/** The modules for which the browser does something other than sign in and agree. */
const OVERRIDES = Object.fromEntries([
  // There is no verified redirect URI.
  ...[
    'oidcc-ensure-registered-redirect-uri',
    'oidcc-ensure-redirect-uri-in-authorization-request',
    'oidcc-redirect-uri-query-added',
    'oidcc-redirect-uri-query-mismatch',
    'oidcc-ensure-request-object-with-redirect-uri',
  ].map((module) => [module, { browser: errorPage }]),
  // The consent page shows data of the client.
  ...['oidcc-registration-logo-uri', 'oidcc-registration-policy-uri', 'oidcc-registration-tos-uri'].map((module) => [
    module,
    { browser: consentPage },
  ]),
  ...['no-params', 'no-post-logout-redirect-uri', 'only-state'].map((module) => [
    `oidcc-rp-initiated-logout-${module}`,
    { browser: signOutHere },
  ]),
  ...[
    'bad-id-token-hint',
    'bad-post-logout-redirect-uri',
    'modified-id-token-hint',
    'no-id-token-hint',
    'query-added-to-post-logout-redirect-uri',
  ].map((module) => [`oidcc-rp-initiated-logout-${module}`, { browser: signOutRefused }]),
  // The user must sign in again despite the session.
  ...['oidcc-prompt-login', 'oidcc-max-age-1'].map((module) => [module, { browser: agreeAgain }]),
]);
