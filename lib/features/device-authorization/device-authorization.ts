import { PUBLIC_CLIENT_RATE } from '../../clients/public-client-rate.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import { isPublicUrl } from '../../http/public-url.js';
import { hasOnce } from '../../model/has-once.js';
import type { RequestRate } from '../../limits/memory-counts.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { accepts, wholeSecondsFrom } from '../../options/value-checks.js';
import { DeviceAuthorizationEndpoint } from './device-endpoint.js';
import { DEVICE_GRANT, deviceGrant } from './device-grant.js';
import { DEVICE_METHODS } from './device-model.js';

/** The options of `deviceAuthorization()`. */
export interface DeviceAuthorizationOptions {
  /**
   * Lifetime of the codes in seconds, in which the user must decide and the device must redeem its code. Default:
   * `900`.
   */
  lifetime?: number;
  /** Minimum seconds between two polls of a device. Default: `5`. */
  interval?: number;
  /**
   * The page where users enter their codes: an https URL, short enough to type. Default: the page of
   * `nest-oauth2/pages`.
   */
  verificationUri?: string;
  /**
   * How many codes public and self-registered clients may request from one network (an IPv4 address or an IPv6 /64), in
   * one process: `requests` in `per` seconds. `false`: any number. Further requests get 429 with `Retry-After`.
   * Default: `{ requests: 60, per: 60 }`.
   */
  rate?: RequestRate | false;
}

/** Lets a device without a browser get tokens: it shows a code, which the user enters on another device. RFC 8628 */
export function deviceAuthorization(options: DeviceAuthorizationOptions = {}): Feature {
  const { lifetime, interval, verificationUri, rate } = OPTIONS.settle(options);
  return {
    id: 'deviceAuthorization',
    specification: 'RFC 8628',
    settings: { lifetime, interval, rate },
    requires: [...DEVICE_METHODS, 'once'],
    grantTypes: [DEVICE_GRANT],
    endpoints: {
      device_authorization: {
        path: 'oauth/device_authorization',
        methods: ['POST'],
        metadata: 'device_authorization_endpoint',
        cors: true,
        description: {
          summary: 'Issues a device code and a user code. RFC 8628 §3.1',
          clients: 'all',
          response: RESPONSE,
        },
        make: (server) => new DeviceAuthorizationEndpoint(server, { lifetime, interval, verificationUri, rate }),
      },
    },
    parameters: {
      device_authorization: { scope: 'The requested scope values, separated by spaces.' },
      token: { device_code: 'The device code.' },
    },
    install: () => ({
      grants: { [DEVICE_GRANT]: deviceGrant },
      misconfigurations: (server) => configurationErrors(options, server),
    }),
  };
}

/** The members of a device authorization response, for API descriptions. RFC 8628 §3.2 */
const RESPONSE = {
  device_code: { type: 'string' },
  user_code: { type: 'string' },
  verification_uri: { type: 'string' },
  verification_uri_complete: { type: 'string' },
  expires_in: { type: 'integer' },
  interval: { type: 'integer' },
} as const;

const FEATURE = '`deviceAuthorization()`';
const OPTIONS = optionTable(FEATURE, {
  lifetime: { check: wholeSecondsFrom(1, 86_400), default: 900 },
  interval: { check: wholeSecondsFrom(1, 60), default: 5 },
  verificationUri: {
    check: accepts('an https URL without query and fragment, or an http URL of localhost', isPublicUrl),
  },
  rate: { check: PUBLIC_CLIENT_RATE, default: { requests: 60, per: 60 } },
} satisfies OptionRows<DeviceAuthorizationOptions>);

function* configurationErrors(options: DeviceAuthorizationOptions, server: ServerContext): Iterable<string> {
  yield* OPTIONS.findErrors(options);
  const { verificationUri } = options;
  const { issuer, model } = server.options;
  if (verificationUri === undefined && (issuer === undefined || !server.endpoints.has('device'))) {
    yield `${FEATURE} requires a page where users enter their codes: add \`pages({ devices: true })\` and set the option \`issuer\`, or set \`verificationUri\` to your own page`;
  }
  if (!hasOnce(model))
    yield `${FEATURE} requires a model with \`once()\`, called as \`once(digest, seconds)\`. \`EventEmitter.prototype.once\` does not count`;
}
