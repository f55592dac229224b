import { formPost, registration } from 'nest-oauth2/features';
import { clientSecretJwt, privateKeyJwt, requestObjects } from 'nest-oauth2/jose';
import { logout, type OpenIdOptions } from 'nest-oauth2/openid';

import { GRANTS, openIdPlan, type Own, SCOPES } from './openid-plan.js';
import type { ConformancePlan } from './plan.js';
import { reachSuite } from './reach-suite.js';

const STATIC = { server_metadata: 'discovery', client_registration: 'static_client' };
const CODE = { client_registration: 'static_client', response_type: 'code', response_mode: 'default' };
const DYNAMIC = { ...STATIC, client_registration: 'dynamic_client' };
const IMPLICIT: OpenIdOptions = { responseTypes: ['id_token', 'id_token token'] };
const HYBRID: OpenIdOptions = { responseTypes: ['code id_token', 'code token', 'code id_token token'] };

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
  openIdPlan(
    'oidc-public',
    { ...CODE, client_auth_type: 'none' },
    // The suite knows no PKCE but in the module that is about it.
    { server: { requirePKCE: 'none' }, client: () => ({ tokenEndpointAuthMethod: 'none' }) },
  ),
  openIdPlan(
    'oidc-secret-jwt',
    { ...CODE, client_auth_type: 'client_secret_jwt' },
    {
      features: ({ issuer }) => [clientSecretJwt({ audiences: [`${issuer}/oauth/token`] })],
      client: () => ({ tokenEndpointAuthMethod: 'client_secret_jwt' }),
    },
  ),
  openIdPlan('oidc-implicit', { plan: 'implicit', ...STATIC }, { options: IMPLICIT }),
  openIdPlan('oidc-hybrid', { plan: 'hybrid', ...STATIC }, { options: HYBRID }),
  openIdPlan(
    'oidc-third-party-login',
    { plan: '3rdparty-init-login', response_type: 'code' },
    { features: () => [open] },
  ),
  openIdPlan('oidc-formpost', { plan: 'formpost-basic', ...STATIC }, { features: () => [formPost()] }),
  openIdPlan(
    'oidc-formpost-implicit',
    { plan: 'formpost-implicit', ...STATIC },
    { options: IMPLICIT, features: () => [formPost()] },
  ),
  openIdPlan(
    'oidc-formpost-hybrid',
    { plan: 'formpost-hybrid', ...STATIC },
    { options: HYBRID, features: () => [formPost()] },
  ),
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
