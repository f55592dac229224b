import { polledGrant } from '../../features/device-authorization/polled-grant.js';
import { storageKeyOf } from './stored-request.js';

export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';

/** The grant with which a client polls for tokens until the user has decided. CIBA §10.1 */
export const cibaGrant = polledGrant({
  parameter: 'auth_req_id',
  kind: 'auth_req_id',
  deviceCodeOf: storageKeyOf,
  furtherMembers: (authReqId) => ({ authReqId }),
});
