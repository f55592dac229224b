import { PolledGrantType } from '../../features/device-authorization/polled-grant.js';
import { nameOf } from './kept.js';

export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';

/** The client polls whether its user has agreed, who was asked elsewhere. CIBA §10.1 */
export class CibaGrantType extends PolledGrantType {
  protected readonly parameter = 'auth_req_id';
  protected readonly what = 'auth_req_id';

  protected codeOf(given: string): string {
    return nameOf(given);
  }

  protected override kept(given: string): object {
    return { authReqId: given };
  }
}
