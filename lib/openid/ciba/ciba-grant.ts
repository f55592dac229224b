import { polledGrant } from '../../features/device-authorization/polled-grant.js';
import { storageKeyOf } from './stored-request.js';

export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';

/** A client polls until its user has decided on another device. CIBA §10.1 */
export const cibaGrant = polledGrant({
  parameter: 'auth_req_id',
  kind: 'auth_req_id',
  deviceCodeOf: storageKeyOf,
  furtherMembers: (authReqId) => ({ authReqId }),
});
