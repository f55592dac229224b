import { polledGrant } from './polled-grant.js';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * The device code grant: a device polls with its device code until the user has decided, and then receives tokens.
 * RFC 8628 §3.4
 */
export const deviceGrant = polledGrant({ parameter: 'device_code', kind: 'device code' });
