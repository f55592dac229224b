import type { Awaitable, Client, Falsy, User } from '../../model/model.js';
import type { AuthorizationDetail } from '../../contracts/authorization-details.js';

/** A model that decides which authorization details are granted. */
export interface AuthorizationDetailsModel<C extends Client = Client, U extends User = User> {
  /**
   * Decides whether the client may have these authorization details. Return `true` to allow them, a list to replace
   * them, for example with more or fewer fields, or a falsy value to refuse them. Called when a request contains
   * details, again before the user is asked, and for each token that is issued. It must give the same result for
   * details that it has returned before. If omitted, details that the types allow are granted with the user's consent
   * only. RFC 9396 §5, §7.1
   * @param user The user, or `undefined` while no user is known.
   */
  validateAuthorizationDetails?(
    details: readonly AuthorizationDetail[],
    client: C,
    user: U | undefined,
  ): Awaitable<boolean | Falsy | readonly AuthorizationDetail[]>;
}
