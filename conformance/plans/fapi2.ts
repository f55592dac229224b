import { randomBytes } from 'node:crypto';

import { fapi2, type Fapi2Options } from 'nest-oauth2/fapi';
import { authorizationDetails, type Feature, mutualTls } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import type { StoredClient } from 'nest-oauth2/stores/memory';

import { PASSWORD } from '../host/store.js';
import { agree, agreeLater, errorPage, errorPageLater, refuse } from './browser.js';
import { GENERATORS } from './keys.js';
import type { ConformancePlan, Stage } from './plan.js';
import { newTestClient, type TestClient } from './test-client.js';

/** The variants of the plans, by the suite's names. */
interface Variant {
  fapi_profile: 'plain_fapi' | 'fapi_client_credentials_grant';
  client_auth_type: 'private_key_jwt' | 'mtls';
  sender_constrain: 'dpop' | 'mtls';
  openid: 'plain_oauth' | 'openid_connect';
  authorization_request_type?: 'rar';
  /** Only in the message signing plan. */
  fapi_request_method?: 'signed_non_repudiation';
  /** Only in the message signing plan. */
  fapi_response_mode?: 'jarm' | 'plain_response';
}

/** Server options of a plan that are not variants of the suite. */
interface Extra {
  /** Whether the server requires DPoP nonces. RFC 9449 §8 */
  nonces?: boolean;
}

/** Whether any client presents a certificate. */
const hasCertificates = (variant: Variant) =>
  variant.client_auth_type === 'mtls' || variant.sender_constrain === 'mtls';

/** The features of `fapi2()` with its defaults. Mutual TLS replaces private keys, DPoP or both. */
function profile(
  { client_auth_type, sender_constrain, fapi_request_method }: Variant,
  { nonces }: Extra,
): readonly Feature[] {
  const options: Fapi2Options = {
    messageSigning: fapi_request_method !== undefined,
    ...(nonces && { dpop: { nonce: { secret: randomBytes(32).toString('hex') } } }),
    ...(client_auth_type === 'mtls' && { privateKeyJwt: false }),
    ...(sender_constrain === 'mtls' && { dpop: false }),
  };
  if (client_auth_type !== 'mtls' && sender_constrain !== 'mtls') return fapi2(options);
  return [...fapi2(options), mutualTls(client_auth_type === 'mtls' ? {} : { methods: [] })];
}

function fapi2Plan(name: string, variant: Variant, extra: Extra = {}): ConformancePlan {
  const isSigned = variant.fapi_request_method !== undefined;
  const hasUsers = variant.fapi_profile === 'plain_fapi';
  const isOpenId = variant.openid === 'openid_connect';
  const isDetailed = variant.authorization_request_type === 'rar';
  const scope = isOpenId ? 'openid profile' : 'notes:read notes:write';
  return {
    name,
    plan: isSigned ? 'fapi2-message-signing-final-test-plan' : 'fapi2-security-profile-final-test-plan',
    variant: { ...variant },
    ...(extra.nonces && { note: 'server requires DPoP nonces' }),
    async prepare(stage) {
      const { generators = GENERATORS } = stage;
      const clients = [
        await newTestClient('first', 'PS256', 'tls_client_auth', generators),
        await newTestClient('second', 'ES256', 'self_signed_tls_client_auth', generators),
      ];
      const own = isOpenId || isSigned ? [keys({ from: (await generators.newKeys('PS256')).private.keys })] : [];
      return {
        host: {
          features: [
            ...profile(variant, extra),
            ...own,
            ...(isOpenId ? [openid({ alg: 'PS256', acrValues: [PASSWORD.acr] })] : []),
            ...(isDetailed ? [authorizationDetails({ types: { notes: NOTES } })] : []),
          ],
          ...(hasCertificates(variant) && { certificates: clients.map(({ certificate }) => certificate.cert) }),
          clients: clients.map((one, at) => ({
            ...registered(one, variant),
            scopes: scope.split(' '),
            ...(isDetailed && { authorizationDetailsTypes: ['notes'] }),
            ...(hasUsers && { redirectUris: [callback(name, stage) + SUFFIXES[at]!] }),
          })),
        },
        configuration: {
          alias: name,
          server: {
            discoveryUrl: `${stage.issuer}/.well-known/${isOpenId ? 'openid-configuration' : 'oauth-authorization-server'}`,
          },
          resource: {
            resourceUrl: `${stage.issuer}/resource`,
            ...(isDetailed && { richAuthorizationRequest: [{ type: 'notes', actions: ['read'] }] }),
          },
          ...Object.fromEntries(clients.flatMap((one, at) => configured(one, at === 0 ? '' : '2', scope))),
          ...(hasUsers && {
            browser: agree,
            override: OVERRIDES,
          }),
        },
      };
    },
  };
}

/** The type of the authorization details in the plans with Rich Authorization Requests. RFC 9396 §2 */
const NOTES = { title: 'Read notes', fields: ['actions'], required: ['actions'] };

const callback = (name: string, { suite }: Stage) => `${suite}/test/a/${name}/callback`;
/** Suffixes that the suite appends to the redirect URI of each client. */
const SUFFIXES = ['', '?dummy1=lorem&dummy2=ipsum'];

/** Modules for which the browser does something other than sign in and agree. */
const OVERRIDES = Object.fromEntries(
  Object.entries({
    'user-rejects-authentication': refuse,
    'par-ensure-reused-request-uri-prior-to-auth-completion-succeeds': agreeLater,
    'par-attempt-reuse-request_uri': errorPageLater,
    'par-attempt-to-use-expired-request_uri': errorPage,
    'par-attempt-to-use-request_uri-for-different-client': errorPage,
  }).map(([module, browser]) => [`fapi2-security-profile-final-${module}`, { browser }]),
);

/** A client with the metadata that the server stores. */
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
    // The suite's browser starts each module without cookies, but the server remembers consents.
    consent: 'always',
  };
}

/** A client with its private keys, for the configuration of the suite. */
const configured = ({ id, keys: { private: jwks }, certificate }: TestClient, suffix: string, scope: string) => [
  [`client${suffix}`, { client_id: id, scope, jwks }],
  [`mtls${suffix}`, certificate],
];

const PLAIN = { fapi_profile: 'plain_fapi', openid: 'plain_oauth' } as const;
const SIGN_IN = { fapi_profile: 'plain_fapi', openid: 'openid_connect' } as const;
const SIGNED = { fapi_request_method: 'signed_non_repudiation', fapi_response_mode: 'jarm' } as const;
const SIGNED_REQUEST = { fapi_request_method: 'signed_non_repudiation', fapi_response_mode: 'plain_response' } as const;

/** The profiles, by the start of a plan's name. */
const PROFILES = {
  'fapi2-client-credentials': { fapi_profile: 'fapi_client_credentials_grant', openid: 'plain_oauth' },
  fapi2: PLAIN,
  'fapi2-openid': SIGN_IN,
  'fapi2-rar': { ...PLAIN, authorization_request_type: 'rar' },
  'fapi2-message-signing': { ...PLAIN, ...SIGNED },
  'fapi2-message-signing-openid': { ...SIGN_IN, ...SIGNED },
  'fapi2-signed-requests': { ...PLAIN, ...SIGNED_REQUEST },
  'fapi2-signed-requests-openid': { ...SIGN_IN, ...SIGNED_REQUEST },
} as const;

/** Client authentication and sender constraint, by the end of a plan's name. */
const METHODS = {
  '': { client_auth_type: 'private_key_jwt', sender_constrain: 'dpop' },
  '-mtls': { client_auth_type: 'mtls', sender_constrain: 'mtls' },
  '-jwt-mtls': { client_auth_type: 'private_key_jwt', sender_constrain: 'mtls' },
  '-mtls-dpop': { client_auth_type: 'mtls', sender_constrain: 'dpop' },
} as const;

/**
 * FAPI 2.0: the security profile and message signing, with each client authentication and sender constraint. Plans with
 * DPoP exist twice: without nonces, and with nonces that the server requires.
 */
export const FAPI2_PLANS: readonly ConformancePlan[] = Object.entries(METHODS).flatMap(([end, methods]) =>
  [false, true]
    .filter((nonces) => !nonces || methods.sender_constrain === 'dpop')
    .flatMap((nonces) =>
      Object.entries(PROFILES).map(([start, variant]) =>
        fapi2Plan(`${start}${end}${nonces ? '-nonce' : ''}`, { ...variant, ...methods }, { nonces }),
      ),
    ),
);
