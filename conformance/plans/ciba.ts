import { mutualTls } from 'nest-oauth2/features';
import { keys, privateKeyJwt } from 'nest-oauth2/jose';
import { ciba, openid } from 'nest-oauth2/openid';
import type { StoredClient } from 'nest-oauth2/stores/memory';

import { ALICE } from '../host/store.js';
import { newKeys } from './keys.js';
import type { ConformancePlan } from './plan.js';
import { reachSuite } from './reach-suite.js';
import { newTestClient, type TestClient } from './test-client.js';

/** What the plan leaves open, by the suite's own names. */
interface Variant {
  client_auth_type: 'private_key_jwt' | 'mtls';
  ciba_mode: 'poll' | 'ping';
}

const SCOPES = ['openid', 'notes:read'];
/** FAPI 1.0 Advanced §8.6 */
const ALGORITHMS = ['PS256', 'ES256'] as const;

function cibaPlan(name: string, variant: Variant): ConformancePlan {
  return {
    name,
    plan: 'fapi-ciba-id1-test-plan',
    variant: { ...variant, fapi_ciba_profile: 'plain_fapi', client_registration: 'static_client' },
    async prepare({ issuer, suite }) {
      const clients = [
        await newTestClient('first', 'PS256', 'tls_client_auth'),
        await newTestClient('second', 'ES256', 'self_signed_tls_client_auth'),
      ];
      const isByKey = variant.client_auth_type === 'private_key_jwt';
      // The suite makes its assertions for the endpoint that it sends them to.
      const audiences = ['token', 'backchannel_authentication'].map((endpoint) => `${issuer}/oauth/${endpoint}`);
      return {
        host: {
          features: [
            keys({ from: (await newKeys('PS256')).private.keys }),
            openid({ alg: 'PS256' }),
            ciba({ signed: { required: true, algorithms: ALGORITHMS }, fetch: reachSuite }),
            mutualTls(isByKey ? { methods: [] } : {}),
            ...(isByKey ? [privateKeyJwt({ algorithms: ALGORITHMS, audiences })] : []),
          ],
          certificates: clients.map(({ certificate }) => certificate.cert),
          clients: clients.map((one) => registered(one, variant, `${suite}/test/a/${name}/ciba-notification-endpoint`)),
        },
        configuration: {
          alias: name,
          server: { discoveryUrl: `${issuer}/.well-known/openid-configuration` },
          resource: { resourceUrl: `${issuer}/resource` },
          automated_ciba_approval_url: `${issuer}/approve?action={action}`,
          ...Object.fromEntries(clients.flatMap((one, at) => said(one, at === 0 ? '' : '2'))),
        },
      };
    },
  };
}

/** A client as the server knows it. */
function registered(
  { id, keys: { public: jwks }, tlsMethod }: TestClient,
  { client_auth_type, ciba_mode }: Variant,
  notificationEndpoint: string,
): StoredClient {
  return {
    id,
    name: `The ${id} client`,
    tokenEndpointAuthMethod: client_auth_type === 'mtls' ? tlsMethod : 'private_key_jwt',
    jwks,
    tlsClientAuthSubjectDn: `CN=${id}`,
    tlsClientCertificateBoundAccessTokens: true,
    grants: ['urn:openid:params:grant-type:ciba', 'refresh_token'],
    scopes: SCOPES,
    backchannelTokenDeliveryMode: ciba_mode,
    ...(ciba_mode === 'ping' && { backchannelClientNotificationEndpoint: notificationEndpoint }),
  };
}

/** The same client as the suite is told of it. */
const said = ({ id, keys: { private: jwks }, certificate }: TestClient, suffix: string) => [
  [`client${suffix}`, { client_id: id, scope: SCOPES.join(' '), jwks, hint_type: 'login_hint', hint_value: ALICE.id }],
  [`mtls${suffix}`, certificate],
];

const BY_KEY = { client_auth_type: 'private_key_jwt' } as const;
const BY_CERTIFICATE = { client_auth_type: 'mtls' } as const;

/** FAPI-CIBA: users who are asked on a device of theirs, for clients that poll and clients that are told. */
export const CIBA_PLANS: readonly ConformancePlan[] = [
  cibaPlan('fapi-ciba-poll', { ...BY_KEY, ciba_mode: 'poll' }),
  cibaPlan('fapi-ciba-ping', { ...BY_KEY, ciba_mode: 'ping' }),
  cibaPlan('fapi-ciba-poll-mtls', { ...BY_CERTIFICATE, ciba_mode: 'poll' }),
  cibaPlan('fapi-ciba-ping-mtls', { ...BY_CERTIFICATE, ciba_mode: 'ping' }),
];
