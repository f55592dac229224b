import { findRateError } from '../../clients/public-client-rate.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import { isPublicUrl } from '../../http/public-url.js';
import { hasOnce } from '../../model/has-once.js';
import type { RequestRate } from '../../http/window-counts.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import { DeviceAuthorizationEndpoint } from './device-endpoint.js';
import { DEVICE_GRANT, deviceGrant } from './device-grant.js';
import { DEVICE_METHODS } from './device-model.js';

/** What `deviceAuthorization()` takes. */
export interface DeviceAuthorizationOptions {
  /** Seconds in which the user has to decide, and the device to hear of it. Default: 900 */
  lifetime?: number;
  /** Seconds between two polls of a device. Default: 5 */
  interval?: number;
  /** Where users enter their codes: an https URL, short enough to be typed. Default: the page of `nest-oauth2/pages` */
  verificationUri?: string;
  /**
   * How many codes public and self-registered clients may ask for from one network (an IPv4 address or an IPv6 /64), in one process;
   * `false`: any number. Further requests get 429 with `Retry-After`. Default: `{ requests: 60, per: 60 }`
   */
  rate?: RequestRate | false;
}

/** A device without a browser shows a code, which its user enters elsewhere. RFC 8628 */
export function deviceAuthorization(options: DeviceAuthorizationOptions = {}): Feature {
  const { lifetime = 900, interval = 5, verificationUri, rate = RATE } = options;
  return {
    id: 'deviceAuthorization',
    specification: 'RFC 8628',
    requires: [...DEVICE_METHODS, 'once'],
    grantTypes: [DEVICE_GRANT],
    endpoints: {
      device_authorization: {
        path: 'oauth/device_authorization',
        methods: ['POST'],
        metadata: 'device_authorization_endpoint',
        cors: true,
        description: { summary: 'Gives a device its codes. RFC 8628 §3.1', clients: 'all', response: RESPONSE },
        make: (server) => new DeviceAuthorizationEndpoint(server, { lifetime, interval, verificationUri, rate }),
      },
    },
    parameters: {
      device_authorization: { scope: 'The scopes that are asked for, separated by spaces.' },
      token: { device_code: 'The code of the device.' },
    },
    install: () => ({
      grants: { [DEVICE_GRANT]: deviceGrant },
      misconfigurations: (server) => configurationErrors(options, server),
    }),
  };
}

/** RFC 8628 §3.2 */
const RESPONSE = {
  device_code: { type: 'string' },
  user_code: { type: 'string' },
  verification_uri: { type: 'string' },
  verification_uri_complete: { type: 'string' },
  expires_in: { type: 'integer' },
  interval: { type: 'integer' },
} as const;

const NAMES = { lifetime: true, interval: true, verificationUri: true, rate: true } as const;
const RATE: RequestRate = { requests: 60, per: 60 };
const MAX_SECONDS = { lifetime: 86_400, interval: 60 } as const;

function* configurationErrors(options: DeviceAuthorizationOptions, server: ServerContext): Iterable<string> {
  const place = '`deviceAuthorization()`';
  const misspelt = findUnknownOption(options, NAMES, place);
  if (misspelt !== undefined) yield misspelt;
  const wrongRate = findRateError(options.rate, place);
  if (wrongRate !== undefined) yield wrongRate;
  for (const name of ['lifetime', 'interval'] as const) {
    const { [name]: seconds } = options;
    const isGood = seconds === undefined || (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SECONDS[name]);
    if (!isGood) yield `\`${name}\` of ${place} is a whole number of seconds, from 1 to ${MAX_SECONDS[name]}`;
  }
  const { verificationUri } = options;
  const { issuer, model } = server.options;
  if (verificationUri !== undefined && !isPublicUrl(verificationUri)) {
    yield `\`verificationUri\` of ${place} must be an https URL without query and fragment, or an http one of localhost`;
  }
  if (verificationUri === undefined && (issuer === undefined || !server.endpoints.has('device'))) {
    yield `${place} needs a page where users enter their codes: list \`pages({ devices: true })\` and give the option \`issuer\`, or say where yours is by \`verificationUri\``;
  }
  if (!hasOnce(model)) yield `${place} needs a model that implements \`once()\`: that of an event emitter is another`;
}
