import type { Authorization } from '../../contracts/authorization.js';
import { ClientRequest } from '../../contracts/client-request.js';
import type { Redemption, SaveToken } from '../../contracts/redemption.js';
import type { TokenRequest } from '../../contracts/token-request.js';
import type { Token } from '../../model/model.js';
import { issueToken, redeem } from '../../tokens/issue-token.js';
import type { GrantTypeOptions } from './grant-type.js';

/** A request to the token endpoint. RFC 6749 §3.2 */
export class IssuingRequest extends ClientRequest implements TokenRequest {
  private made: GrantTypeOptions | undefined;
  /** Returns lifetimes, callbacks and other settings of this request. The token endpoint sets it. */
  settingsOf!: (request: IssuingRequest) => GrantTypeOptions;

  /** The settings that grant type classes are constructed with. */
  get settings(): GrantTypeOptions {
    return (this.made ??= this.settingsOf(this));
  }

  issue(authorization: Authorization, save?: SaveToken): Promise<Token> {
    return issueToken(this.settings, authorization, save);
  }

  redeem(authorization: Authorization, redemption: Redemption): Promise<Token> {
    return redeem(this.settings, authorization, redemption);
  }
}
