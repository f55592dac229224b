import { mutualTls, registration } from 'nest-oauth2/features';
import { keys, privateKeyJwt } from 'nest-oauth2/jose';
import { ciba, openid } from 'nest-oauth2/openid';
import type { StoredClient } from 'nest-oauth2/stores/memory';

import { ALICE, PASSWORD } from '../host/store.js';
import { GENERATORS } from './keys.js';
import type { ConformancePlan } from './plan.js';
import { reachSuite } from './reach-suite.js';
import { newTestClient, type TestClient } from './test-client.js';

/** The variants of the plan, by the suite's names. */
interface Variant {
  client_auth_type: 'private_key_jwt' | 'mtls';
  ciba_mode: 'poll' | 'ping';
  client_registration: 'static_client' | 'dynamic_client';
}

const SCOPES = ['openid', 'notes:read'];
const GRANTS = ['urn:openid:params:grant-type:ciba', 'refresh_token'];
/** FAPI 1.0 Advanced §8.6 */
const ALGORITHMS = ['PS256', 'ES256'] as const;

function cibaPlan(name: string, variant: Variant): ConformancePlan {
  return {
    name,
    plan: 'fapi-ciba-id1-test-plan',
    variant: { ...variant, fapi_ciba_profile: 'plain_fapi' },
    async prepare({ issuer, suite, generators = GENERATORS }) {
      const clients = [
        await newTestClient('first', 'PS256', 'tls_client_auth', generators),
        await newTestClient('second', 'ES256', 'self_signed_tls_client_auth', generators),
      ];
      const isStatic = variant.client_registration === 'static_client';
      const isByKey = variant.client_auth_type === 'private_key_jwt';
      // The suite sets the URL of the endpoint as the audience of each assertion.
      const audiences = ['token', 'backchannel_authentication'].map((endpoint) => `${issuer}/oauth/${endpoint}`);
      return {
        host: {
          features: [
            keys({ from: (await generators.newKeys('PS256')).private.keys }),
            openid({ alg: 'PS256', acrValues: [PASSWORD.acr] }),
            ciba({ signed: { required: true, algorithms: ALGORITHMS }, fetch: reachSuite }),
            mutualTls(isByKey ? { methods: [] } : {}),
            ...(isByKey ? [privateKeyJwt({ algorithms: ALGORITHMS, audiences })] : []),
            ...(isStatic
              ? []
              : [registration({ open: true, scopes: SCOPES, allScopes: true, rate: false, grants: GRANTS })]),
          ],
          // Without names of authorities, the server's request fits any certificate that the suite generates.
          certificates: isStatic ? clients.map(({ certificate }) => certificate.cert) : [],
          clients: isStatic
            ? clients.map((one) => registered(one, variant, `${suite}/test/a/${name}/ciba-notification-endpoint`))
            : [],
        },
        configuration: {
          alias: name,
          server: { discoveryUrl: `${issuer}/.well-known/openid-configuration` },
          resource: { resourceUrl: `${issuer}/resource` },
          automated_ciba_approval_url: `${issuer}/approve?action={action}`,
          ...Object.fromEntries(
            isStatic
              ? clients.flatMap((one, at) => configured(one, at === 0 ? '' : '2'))
              : ['client', 'client2'].map((id) => [id, { client_name: `The registered ${id}`, ...REQUEST }]),
          ),
        },
      };
    },
  };
}

/** A client with the metadata that the server stores. */
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
    grants: GRANTS,
    scopes: SCOPES,
    backchannelTokenDeliveryMode: ciba_mode,
    ...(ciba_mode === 'ping' && { backchannelClientNotificationEndpoint: notificationEndpoint }),
  };
}

/** The scope, the `acr` and the user of the clients' requests. */
const REQUEST = {
  scope: SCOPES.join(' '),
  hint_type: 'login_hint',
  hint_value: ALICE.id,
  acr_value: PASSWORD.acr,
};

/** A client with its private keys, for the configuration of the suite. */
const configured = ({ id, keys: { private: jwks }, certificate }: TestClient, suffix: string) => [
  [`client${suffix}`, { client_id: id, jwks, ...REQUEST }],
  [`mtls${suffix}`, certificate],
];

/** FAPI-CIBA: users decide on a device of theirs, for clients that poll and for clients that are notified. */
export const CIBA_PLANS: readonly ConformancePlan[] = (['static_client', 'dynamic_client'] as const).flatMap(
  (client_registration) =>
    (['private_key_jwt', 'mtls'] as const).flatMap((client_auth_type) =>
      (['poll', 'ping'] as const).map((ciba_mode) => {
        const end = client_auth_type === 'mtls' ? '-mtls' : '';
        const how = client_registration === 'dynamic_client' ? '-dynamic' : '';
        return cibaPlan(`fapi-ciba-${ciba_mode}${end}${how}`, { client_auth_type, ciba_mode, client_registration });
      }),
    ),
);
