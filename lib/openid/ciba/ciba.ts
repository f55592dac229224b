import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { Feature } from '../../contracts/feature.js';
import { InvalidClientMetadataError } from '../../errors/index.js';
import { DEVICE_METHODS } from '../../features/device-authorization/device-model.js';
import { CLOCK_TOLERANCES } from '../../jose/clock-tolerances.js';
import { SIGNED_REQUESTS } from '../../jose/request-objects/signed-requests.js';
import { NotificationFetch } from '../notifications/notification-fetch.js';
import { CIBA_ENDPOINT } from './backchannel-requests.js';
import { CibaEndpoint } from './ciba-endpoint.js';
import { CIBA } from './ciba-capability.js';
import { CIBA_GRANT, cibaGrant } from './ciba-grant.js';
import * as fields from './client-fields.js';
import { type CibaOptions, type CibaSettings, findConfigurationErrors, settle } from './options.js';
import { Pings } from './pings.js';

/**
 * Lets clients request the authentication of a user on the user's own device, for example at a till or on the
 * telephone. The client polls for its tokens, or is notified when they are ready. OpenID Connect Client-Initiated
 * Backchannel Authentication 1.0
 * @throws {InvalidArgumentError} If the option `fetch` is invalid.
 */
export function ciba(options: CibaOptions = {}): Feature {
  const settings = settle(options);
  const { algorithms } = settings.signed;
  const fetch = new NotificationFetch({ ...settings.fetch });
  return {
    id: 'ciba',
    specification: 'OpenID CIBA',
    requires: [...DEVICE_METHODS, 'once', 'findHintedUser', 'askUser'],
    grantTypes: [CIBA_GRANT],
    endpoints: {
      [CIBA_ENDPOINT]: {
        path: 'oauth/backchannel_authentication',
        methods: ['POST'],
        metadata: 'backchannel_authentication_endpoint',
        description: {
          summary: 'Starts the authentication of a user on another device. CIBA §7',
          clients: 'confidential',
          response: RESPONSE,
        },
        make: (server) => new CibaEndpoint(server, settings),
      },
    },
    parameters: {
      [CIBA_ENDPOINT]: PARAMETERS,
      token: {
        auth_req_id: 'The identifier of the request, from the response of the backchannel authentication endpoint.',
      },
    },

    install(builder) {
      const { clockTolerance, maxLifetime, required } = settings.signed;
      builder.contribute(SIGNED_REQUESTS, { endpoint: CIBA_ENDPOINT, required, maxLifetime });
      builder.contribute(CLOCK_TOLERANCES, { feature: '`ciba()`', seconds: clockTolerance });
      builder.provide(CIBA, () => new Pings(builder.server, fetch));
      return {
        grants: { [CIBA_GRANT]: cibaGrant },
        clientFields: clientFields(settings, fetch),
        client: { verifyMetadata: verifyNotificationEndpoint },
        metadata: () => ({
          backchannel_token_delivery_modes_supported: ['poll', 'ping'],
          backchannel_user_code_parameter_supported: settings.userCode,
          backchannel_authentication_request_signing_alg_values_supported: algorithms,
        }),
        misconfigurations: (server) => findConfigurationErrors(options, server),
      };
    },
  };
}

/**
 * Verifies that a client in `ping` mode has a notification endpoint. CIBA §4
 * @throws {InvalidClientMetadataError} If the endpoint is missing.
 */
function verifyNotificationEndpoint({
  backchannel_token_delivery_mode: mode,
  backchannel_client_notification_endpoint: to,
}: ClientMetadata): void {
  if (mode !== 'ping' || to !== undefined) return;
  throw new InvalidClientMetadataError(
    'Invalid client metadata: the `ping` mode requires a `backchannel_client_notification_endpoint`',
  );
}

/** Returns the client fields of CIBA. Their validators accept what these settings support. */
const clientFields = ({ signed: { algorithms }, userCode }: CibaSettings, fetch: NotificationFetch) => [
  fields.BACKCHANNEL_TOKEN_DELIVERY_MODE,
  fields.BACKCHANNEL_CLIENT_NOTIFICATION_ENDPOINT.restrict((uri) => fetch.isFetchable(uri)),
  fields.BACKCHANNEL_AUTHENTICATION_REQUEST_SIGNING_ALG.restrict((alg) => algorithms.some((one) => one === alg)),
  fields.BACKCHANNEL_USER_CODE_PARAMETER.restrict((isRequired) => !isRequired || userCode),
];

/** The members of a successful response. CIBA §7.3 */
const RESPONSE = {
  auth_req_id: { type: 'string' },
  expires_in: { type: 'integer' },
  interval: { type: 'integer' },
} as const;

const PARAMETERS = {
  request: 'The whole request as a signed JWT. No other request parameters may be sent with it.',
  scope: 'The requested scope, which must contain `openid`.',
  login_hint: 'An identifier that the user has given to the client.',
  login_hint_token: 'A token, other than an ID token, that identifies the user.',
  id_token_hint: 'An ID token that identifies the user.',
  binding_message: 'A short text that both devices show to the user.',
  user_code: 'The secret code with which the user allows clients to send requests.',
  requested_expiry: 'The requested lifetime of the request, in seconds.',
  acr_values: 'The requested authentication context classes, the best first.',
  client_notification_token: 'The bearer token with which the server notifies the client.',
};
