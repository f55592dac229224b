import type { Awaitable, Client, Falsy, User } from '../../model/model.js';
import type { AuthorizationDetail } from '../../contracts/authorization-details.js';

/** Says who may have which authorization details. */
export interface AuthorizationDetailsModel<C extends Client = Client, U extends User = User> {
  /**
   * May this client have these? `true`: as they are; a list: that in their place, with more said in it or less; falsy: they are
   * refused. Asked when a request names them, then with the user before these are asked, and each time a token is issued for them: it
   * should answer the same for what it has answered. Left out: what the types allow, where a user agrees to it. RFC 9396 §5, §7.1
   */
  validateAuthorizationDetails?(
    details: readonly AuthorizationDetail[],
    client: C,
    user: U | undefined,
  ): Awaitable<boolean | Falsy | readonly AuthorizationDetail[]>;
}
