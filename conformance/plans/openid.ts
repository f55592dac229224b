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
const RESPONSE_TYPES = ['id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'] as const;
const HYBRID: OpenIdOptions = { responseTypes: ['code id_token', 'code token', 'code id_token token'] };

/** Open registration without a rate limit. */
const open = registration({ open: true, scopes: SCOPES, allScopes: true, rate: false, grants: GRANTS });

/** The features that a dynamic OpenID Provider must support. OpenID Connect Core §15.2 */
const dynamic: Own = {
  options: {
    responseTypes: RESPONSE_TYPES,
    pairwise: { salt: 'a fixed salt, since this server has no real users' },
    fetch: reachSuite,
  },
  features: ({ issuer }) => [
    open,
    // The suite's assertions have the URL of the token endpoint as `aud`. OpenID Connect Core §9
    privateKeyJwt({ fetch: reachSuite, audiences: [`${issuer}/oauth/token`] }),
    requestObjects({ fetch: reachSuite }),
  ],
};

/** Posted responses. The server reads request objects, so that it finds a `response_mode` inside of them. */
const posting = () => [formPost(), requestObjects()];

/** The plans of a flow that exist for static and for registered clients. */
const flow = (name: string, plan: string, { features = () => [], ...own }: Own = {}): ConformancePlan[] => [
  openIdPlan(name, { plan, ...STATIC }, { ...own, features }),
  openIdPlan(`${name}-dynamic`, { plan, ...DYNAMIC }, { ...own, features: (stage) => [...features(stage), open] }),
];

/** The logout plans for static and for registered clients. */
const logoutPlans = (name: string, plan: string, { features = () => [], ...own }: Own = {}): ConformancePlan[] => [
  openIdPlan(name, { plan, client_registration: 'static_client', response_type: 'code' }, { ...own, features }),
  openIdPlan(
    `${name}-dynamic`,
    { plan, client_registration: 'dynamic_client', response_type: 'code' },
    { ...own, features: (stage) => [...features(stage), open] },
  ),
];

/** OpenID Connect: discovery, login with each flow, posted responses, logout, and registration of clients. */
export const OPENID_PLANS: readonly ConformancePlan[] = [
  openIdPlan('oidc-config', { plan: 'config' }),
  ...flow('oidc-basic', 'basic'),
  openIdPlan(
    'oidc-public',
    { ...CODE, client_auth_type: 'none' },
    // The suite uses PKCE only in the module that tests it.
    { server: { requirePKCE: 'none' }, client: () => ({ tokenEndpointAuthMethod: 'none', secret: undefined }) },
  ),
  openIdPlan(
    'oidc-secret-jwt',
    { ...CODE, client_auth_type: 'client_secret_jwt' },
    {
      features: ({ issuer }) => [clientSecretJwt({ audiences: [`${issuer}/oauth/token`] })],
      client: () => ({ tokenEndpointAuthMethod: 'client_secret_jwt' }),
    },
  ),
  ...flow('oidc-implicit', 'implicit', { options: IMPLICIT }),
  ...flow('oidc-hybrid', 'hybrid', { options: HYBRID }),
  openIdPlan(
    'oidc-third-party-login',
    { plan: '3rdparty-init-login', response_type: 'code' },
    { features: () => [open] },
  ),
  ...flow('oidc-formpost', 'formpost-basic', { features: posting }),
  ...flow('oidc-formpost-implicit', 'formpost-implicit', { options: IMPLICIT, features: posting }),
  ...flow('oidc-formpost-hybrid', 'formpost-hybrid', { options: HYBRID, features: posting }),
  ...logoutPlans('oidc-logout', 'rp-initiated-logout'),
  ...['backchannel', 'frontchannel'].flatMap((channel) =>
    logoutPlans(`oidc-${channel}-logout`, `${channel}-rp-initiated-logout`, {
      features: () => [logout({ fetch: reachSuite })],
      client: (place) => ({ [`${channel}LogoutUri`]: `${place}/${channel}_logout` }),
    }),
  ),
  ...['code', ...RESPONSE_TYPES].map((response_type) =>
    openIdPlan(
      response_type === 'code' ? 'oidc-dynamic' : `oidc-dynamic-${response_type.replaceAll(/[ _]/g, '-')}`,
      { plan: 'dynamic', response_type },
      dynamic,
    ),
  ),
];
