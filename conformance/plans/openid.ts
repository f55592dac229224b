import { randomBytes } from 'node:crypto';

import { type Feature, formPost, registration, serverMetadata } from 'nest-oauth2/features';
import { keys, privateKeyJwt, requestObjects, signingKeys } from 'nest-oauth2/jose';
import { logout, openid, type OpenIdOptions } from 'nest-oauth2/openid';
import type { StoredClient } from 'nest-oauth2/stores/memory';

import { agreeAgain, consentPage, errorPage, signOut, signOutHere, signOutRefused } from './browser.js';
import type { ConformancePlan, Stage } from './plan.js';
import { reachSuite } from './reach-suite.js';

const SCOPES = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];
const GRANTS = ['authorization_code', 'refresh_token', 'implicit'];

/** What of the server a plan has of its own. */
interface Own {
  features?: (stage: Stage) => readonly Feature[];
  options?: OpenIdOptions;
  /** What its clients have besides, of the suite's place for this plan. */
  client?: (place: string) => Partial<StoredClient>;
}

function openIdPlan(
  name: string,
  { plan, ...variant }: Record<string, string> & { plan: string },
  { features = () => [], options, client = () => ({}) }: Own = {},
): ConformancePlan {
  return {
    name,
    plan: `oidcc-${plan}-certification-test-plan`,
    variant,
    // The keys of all clients of a run are at one URL, which is asked for unknown ones every 30 seconds at most.
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
        : ['client', 'client2'].map((id) => [id, { client_name: `The ${id} that registers itself` }]);
      return Promise.resolve({
        host: {
          features: [
            serverMetadata({ scopes: SCOPES }),
            keys({ secret: randomBytes(32).toString('hex'), algorithms: ['RS256'] }),
            openid(options),
            ...features(stage),
          ],
          clients: isStatic ? clients : [],
        },
        configuration: {
          alias: name,
          server: { discoveryUrl: `${issuer}/.well-known/openid-configuration`, login_hint: 'alice' },
          ...Object.fromEntries(said),
          browser: signOut,
          override: OVERRIDES,
        },
        meanwhile: { 'oidcc-server-rotate-keys': (server) => signingKeys(server).rotate() },
      });
    },
  };
}

/** The clients by the names that the suite has for them. */
const METHODS = {
  client: 'client_secret_basic',
  client2: 'client_secret_basic',
  client_secret_post: 'client_secret_post',
};

const newClient = (id: string, tokenEndpointAuthMethod: string, place: string): StoredClient => ({
  id,
  name: `The client ${id}`,
  tokenEndpointAuthMethod,
  secret: `a secret of the client ${id}, which is none at all`,
  grants: GRANTS,
  redirectUris: [`${place}/callback`],
  postLogoutRedirectUris: [`${place}/post_logout_redirect`],
  scopes: SCOPES,
});

/** Where a module wants another visitor than the one who agrees. */
const OVERRIDES = Object.fromEntries([
  // Nothing says safely where an answer would go.
  ...[
    'oidcc-ensure-registered-redirect-uri',
    'oidcc-ensure-redirect-uri-in-authorization-request',
    'oidcc-redirect-uri-query-added',
    'oidcc-redirect-uri-query-mismatch',
    'oidcc-ensure-request-object-with-redirect-uri',
  ].map((module) => [module, { browser: errorPage }]),
  // The page says something of the client.
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
  // The user has to sign in though somebody has.
  ...['oidcc-prompt-login', 'oidcc-max-age-1'].map((module) => [module, { browser: agreeAgain }]),
]);

const STATIC = { server_metadata: 'discovery', client_registration: 'static_client' };
const DYNAMIC = { ...STATIC, client_registration: 'dynamic_client' };
const IMPLICIT: OpenIdOptions = { responseTypes: ['id_token', 'id_token token'] };

/** Everybody may register as a client, as often as they like. */
const open = registration({ open: true, scopes: SCOPES, allScopes: true, rate: false, grants: GRANTS });

/** What an OpenID provider has to have that everybody may register at. OpenID Connect Core §15.2 */
const dynamic: Own = {
  options: {
    ...IMPLICIT,
    pairwise: { salt: 'a salt that need not be secret where nobody lives' },
    fetch: reachSuite,
  },
  features: ({ issuer }) => [
    open,
    // The suite makes its assertions for the URL of the token endpoint, as OpenID Connect Core §9 has it.
    privateKeyJwt({ fetch: reachSuite, audiences: [`${issuer}/oauth/token`] }),
    requestObjects({ fetch: reachSuite }),
  ],
};

/** OpenID Connect: its discovery, signing in by several flows, answers that are posted, signing out, and clients that register themselves. */
export const OPENID_PLANS: readonly ConformancePlan[] = [
  openIdPlan('oidc-config', { plan: 'config' }),
  openIdPlan('oidc-basic', { plan: 'basic', ...STATIC }),
  openIdPlan('oidc-basic-dynamic', { plan: 'basic', ...DYNAMIC }, { features: () => [open] }),
  openIdPlan('oidc-implicit', { plan: 'implicit', ...STATIC }, { options: IMPLICIT }),
  openIdPlan(
    'oidc-third-party-login',
    { plan: '3rdparty-init-login', response_type: 'code' },
    { features: () => [open] },
  ),
  openIdPlan('oidc-formpost', { plan: 'formpost-basic', ...STATIC }, { features: () => [formPost()] }),
  openIdPlan('oidc-logout', {
    plan: 'rp-initiated-logout',
    client_registration: 'static_client',
    response_type: 'code',
  }),
  ...['backchannel', 'frontchannel'].map((channel) =>
    openIdPlan(
      `oidc-${channel}-logout`,
      { plan: `${channel}-rp-initiated-logout`, client_registration: 'static_client', response_type: 'code' },
      {
        features: () => [logout({ fetch: reachSuite })],
        client: (place) => ({ [`${channel}LogoutUri`]: `${place}/${channel}_logout` }),
      },
    ),
  ),
  openIdPlan('oidc-dynamic', { plan: 'dynamic', response_type: 'code' }, dynamic),
];
