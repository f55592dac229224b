import { pollForToken } from '../../features/device-authorization/polled-grant.js';
import { nameOf } from './kept.js';

export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';

/** A client polls until its user has decided on another device. CIBA §10.1 */
export const cibaGrant = pollForToken({
  parameter: 'auth_req_id',
  what: 'auth_req_id',
  keyOf: nameOf,
  also: (authReqId) => ({ authReqId }),
});
