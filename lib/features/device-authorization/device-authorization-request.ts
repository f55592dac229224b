import { Request } from '../../http/request.js';
import type { CoreClient } from '../../model/model.js';
import { type AuthorizationRequest, DEVICE_RESPONSE_TYPE } from '../../contracts/response-type.js';
import type { DeviceAuthorization } from './device-model.js';

interface DeviceRequestValues {
  requestedScope?: string | undefined;
  issuer?: string | undefined;
  data?: Record<string, unknown>;
  /** The current HTTP request. If omitted, an empty request is used. */
  request?: Request | undefined;
}

/**
 * Returns a device authorization request in the form in which hooks of features read authorization requests. It has no
 * redirect URI. RFC 8628 §3.1
 */
export function deviceAuthorizationRequest(
  client: CoreClient,
  { requestedScope, issuer, data = {}, request }: DeviceRequestValues,
): AuthorizationRequest {
  return {
    client,
    redirectUri: '',
    redirectUriSent: false,
    responseType: DEVICE_RESPONSE_TYPE,
    responseMode: 'query',
    ...(requestedScope !== undefined && { requestedScope }),
    ...(issuer !== undefined && { issuer }),
    data,
    request: request ?? new Request({ method: 'GET', headers: {}, query: {} }),
  };
}

/** Returns the members of a stored device authorization that features have added. */
export function featureDataOf(authorization: DeviceAuthorization): Record<string, unknown> {
  return Object.fromEntries(Object.entries(authorization).filter(([name]) => !OWN_MEMBERS.has(name)));
}

const OWN_MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'deviceCode',
  'userCode',
  'client',
  'scope',
  'issuer',
  'expiresAt',
  'interval',
  'user',
  'isDenied',
  'grantId',
  'revokedAt',
  'revokedAgo',
]);
