import type { ClientMetadata } from '../../contracts/client-metadata.js';
import type { Feature } from '../../contracts/feature.js';
import { InvalidClientMetadataError } from '../../errors/index.js';
import { DEVICE_METHODS } from '../../features/device-authorization/device-model.js';
import { SafeFetch } from '../../http/safe-fetch/index.js';
import { CLOCK_TOLERANCES } from '../../jose/clock-tolerances.js';
import { SIGNED_REQUESTS } from '../../jose/request-objects/signed-requests.js';
import { CIBA_ENDPOINT } from './backchannel-requests.js';
import { CibaEndpoint } from './ciba-endpoint.js';
import { CIBA } from './ciba-capability.js';
import { CIBA_GRANT, cibaGrant } from './ciba-grant.js';
import * as fields from './client-fields.js';
import { type CibaOptions, type CibaSettings, findConfigurationErrors, settle } from './options.js';
import { Pings } from './pings.js';

/**
 * A client has a user asked on a device of theirs, whom it has not before it: at a till, on the telephone. It polls for its tokens, or is
 * told when there are some. OpenID Connect Client-Initiated Backchannel Authentication 1.0
 * @throws InvalidArgumentError with a sentence for an option of `fetch` that cannot work
 */
export function ciba(options: CibaOptions = {}): Feature {
  const settings = settle(options);
  const { algorithms } = settings.signed;
  const fetch = new SafeFetch({ ...settings.fetch });
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
        description: { summary: 'Has a user asked elsewhere. CIBA §7', clients: 'confidential', response: RESPONSE },
        make: (server) => new CibaEndpoint(server, settings),
      },
    },
    parameters: { [CIBA_ENDPOINT]: PARAMETERS, token: { auth_req_id: 'What the client was given when it asked.' } },

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

/** Validates that a client which wants pings has an endpoint for them. CIBA §4 */
function verifyNotificationEndpoint({
  backchannel_token_delivery_mode: mode,
  backchannel_client_notification_endpoint: to,
}: ClientMetadata): void {
  if (mode !== 'ping' || to !== undefined) return;
  throw new InvalidClientMetadataError(
    'Invalid client metadata: a client that is told has a `backchannel_client_notification_endpoint`',
  );
}

/** Returns the client fields of CIBA, with validators that accept what these settings support. */
const clientFields = ({ signed: { algorithms }, userCode }: CibaSettings, fetch: SafeFetch) => [
  fields.BACKCHANNEL_TOKEN_DELIVERY_MODE,
  fields.BACKCHANNEL_CLIENT_NOTIFICATION_ENDPOINT.restrict((uri) => fetch.isFetchable(uri)),
  fields.BACKCHANNEL_AUTHENTICATION_REQUEST_SIGNING_ALG.restrict((alg) => algorithms.some((one) => one === alg)),
  fields.BACKCHANNEL_USER_CODE_PARAMETER.restrict((isRequired) => !isRequired || userCode),
];

/** CIBA §7.3 */
const RESPONSE = {
  auth_req_id: { type: 'string' },
  expires_in: { type: 'integer' },
  interval: { type: 'integer' },
} as const;

const PARAMETERS = {
  request: 'All of it, signed by the client: then nothing else is sent.',
  scope: 'What is asked for, `openid` among it.',
  login_hint: 'Who is meant, in words of the user.',
  login_hint_token: 'A token that says who is meant.',
  id_token_hint: 'An ID token of the user who is meant.',
  binding_message: 'What both devices show.',
  user_code: 'The code by which the user lets the client ask.',
  requested_expiry: 'Seconds after which it need not be answered.',
  acr_values: 'How strong the login is to be, the best first.',
  client_notification_token: 'By which the client knows who tells it.',
};
