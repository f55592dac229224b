import { fapi2, type Fapi2Options } from 'nest-oauth2/fapi';
import { type Feature, mutualTls } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import type { StoredClient } from 'nest-oauth2/stores/memory';

import { agree, agreeLater, errorPage, errorPageLater, refuse } from './browser.js';
import { newKeys } from './keys.js';
import type { ConformancePlan, Stage } from './plan.js';
import { newTestClient, type TestClient } from './test-client.js';

/** What plans of the security profile leave open, by the suite's own names. */
interface Variant {
  fapi_profile: 'plain_fapi' | 'fapi_client_credentials_grant';
  client_auth_type: 'private_key_jwt' | 'mtls';
  sender_constrain: 'dpop' | 'mtls';
  openid: 'plain_oauth' | 'openid_connect';
  /** Of message signing alone. */
  fapi_request_method?: 'signed_non_repudiation';
  fapi_response_mode?: 'jarm' | 'plain_response';
}

/** Who shows a certificate for any purpose, has one. */
const hasCertificates = (variant: Variant) =>
  variant.client_auth_type === 'mtls' || variant.sender_constrain === 'mtls';

/** The server is the profile as it comes; where certificates do the work of keys, they stand in place of those. */
function profile({ client_auth_type, sender_constrain, fapi_request_method }: Variant): readonly Feature[] {
  const options: Fapi2Options = {
    messageSigning: fapi_request_method !== undefined,
    ...(client_auth_type === 'mtls' && { privateKeyJwt: false }),
    ...(sender_constrain === 'mtls' && { dpop: false }),
  };
  if (client_auth_type !== 'mtls' && sender_constrain !== 'mtls') return fapi2(options);
  return [...fapi2(options), mutualTls(client_auth_type === 'mtls' ? {} : { methods: [] })];
}

function fapi2Plan(name: string, variant: Variant): ConformancePlan {
  const isSigned = variant.fapi_request_method !== undefined;
  const hasUsers = variant.fapi_profile === 'plain_fapi';
  const isOpenId = variant.openid === 'openid_connect';
  const scope = isOpenId ? 'openid profile' : 'notes:read notes:write';
  return {
    name,
    plan: isSigned ? 'fapi2-message-signing-final-test-plan' : 'fapi2-security-profile-final-test-plan',
    variant: { ...variant },
    async prepare(stage) {
      const clients = [
        await newTestClient('first', 'PS256', 'tls_client_auth'),
        await newTestClient('second', 'ES256', 'self_signed_tls_client_auth'),
      ];
      const own = isOpenId || isSigned ? [keys({ from: (await newKeys('PS256')).private.keys })] : [];
      return {
        host: {
          features: [...profile(variant), ...own, ...(isOpenId ? [openid({ alg: 'PS256' })] : [])],
          ...(hasCertificates(variant) && { certificates: clients.map(({ certificate }) => certificate.cert) }),
          clients: clients.map((one, at) => ({
            ...registered(one, variant),
            scopes: scope.split(' '),
            ...(hasUsers && { redirectUris: [callback(name, stage) + SUFFIXES[at]!] }),
          })),
        },
        configuration: {
          alias: name,
          server: {
            discoveryUrl: `${stage.issuer}/.well-known/${isOpenId ? 'openid-configuration' : 'oauth-authorization-server'}`,
          },
          resource: { resourceUrl: `${stage.issuer}/resource` },
          ...Object.fromEntries(clients.flatMap((one, at) => said(one, at === 0 ? '' : '2', scope))),
          ...(hasUsers && {
            browser: agree,
            override: OVERRIDES,
          }),
        },
      };
    },
  };
}

const callback = (name: string, { suite }: Stage) => `${suite}/test/a/${name}/callback`;
/** What the suite adds to the redirect URI of each client. */
const SUFFIXES = ['', '?dummy1=lorem&dummy2=ipsum'];

/** Where a module wants another visitor than the one who agrees. */
const OVERRIDES = Object.fromEntries(
  Object.entries({
    'user-rejects-authentication': refuse,
    'par-ensure-reused-request-uri-prior-to-auth-completion-succeeds': agreeLater,
    'par-attempt-reuse-request_uri': errorPageLater,
    'par-attempt-to-use-expired-request_uri': errorPage,
    'par-attempt-to-use-request_uri-for-different-client': errorPage,
  }).map(([module, browser]) => [`fapi2-security-profile-final-${module}`, { browser }]),
);

/** A client as the server knows it. */
function registered({ id, keys: { public: jwks }, tlsMethod }: TestClient, variant: Variant): StoredClient {
  const isByUser = variant.fapi_profile === 'plain_fapi';
  return {
    id,
    name: `The ${id} client`,
    tokenEndpointAuthMethod: variant.client_auth_type === 'mtls' ? tlsMethod : 'private_key_jwt',
    jwks,
    tlsClientAuthSubjectDn: `CN=${id}`,
    ...(variant.sender_constrain === 'dpop'
      ? { dpopBoundAccessTokens: true }
      : { tlsClientCertificateBoundAccessTokens: true }),
    grants: isByUser ? ['authorization_code', 'refresh_token'] : ['client_credentials'],
    // The suite's browser forgets between two modules who is signed in, and the server does not forget who has agreed.
    consent: 'always',
  };
}

/** The same client as the suite is told of it. */
const said = ({ id, keys: { private: jwks }, certificate }: TestClient, suffix: string, scope: string) => [
  [`client${suffix}`, { client_id: id, scope, jwks }],
  [`mtls${suffix}`, certificate],
];

const BY_KEY = { client_auth_type: 'private_key_jwt', sender_constrain: 'dpop' } as const;
const BY_CERTIFICATE = { client_auth_type: 'mtls', sender_constrain: 'mtls' } as const;
const ITSELF = { fapi_profile: 'fapi_client_credentials_grant', openid: 'plain_oauth' } as const;
const USERS = { fapi_profile: 'plain_fapi', openid: 'plain_oauth' } as const;
const SIGNED = { fapi_request_method: 'signed_non_repudiation', fapi_response_mode: 'jarm' } as const;
const SIGN_IN = { fapi_profile: 'plain_fapi', openid: 'openid_connect' } as const;

/**
 * FAPI 2.0, final: the security profile for clients that act for themselves, for users, and with OpenID Connect; and message
 * signing, with answers that are signed too.
 */
export const FAPI2_PLANS: readonly ConformancePlan[] = [
  fapi2Plan('fapi2-client-credentials', { ...ITSELF, ...BY_KEY }),
  fapi2Plan('fapi2-client-credentials-mtls', { ...ITSELF, ...BY_CERTIFICATE }),
  fapi2Plan('fapi2', { ...USERS, ...BY_KEY }),
  fapi2Plan('fapi2-mtls', { ...USERS, ...BY_CERTIFICATE }),
  fapi2Plan('fapi2-jwt-mtls', { ...USERS, client_auth_type: 'private_key_jwt', sender_constrain: 'mtls' }),
  fapi2Plan('fapi2-mtls-dpop', { ...USERS, client_auth_type: 'mtls', sender_constrain: 'dpop' }),
  fapi2Plan('fapi2-openid', { ...SIGN_IN, ...BY_KEY }),
  fapi2Plan('fapi2-openid-mtls', { ...SIGN_IN, ...BY_CERTIFICATE }),
  fapi2Plan('fapi2-message-signing', { ...USERS, ...BY_KEY, ...SIGNED }),
  fapi2Plan('fapi2-message-signing-mtls', { ...USERS, ...BY_CERTIFICATE, ...SIGNED }),
  fapi2Plan('fapi2-message-signing-openid', { ...SIGN_IN, ...BY_KEY, ...SIGNED }),
];
