import type { Awaitable, Client, Falsy, User } from '../model/model.js';
import type { ClaimRequests } from './claims-parameter.js';

/** Which claims of a user are wanted, by whom, and where they will be said. */
export interface ClaimsRequest<C extends Client = Client> {
  client: C;
  /**
   * The names of the claims that will be said, if they are known: those of the scope that was granted, and those asked for by name,
   * which are any text of the client: name no columns by them.
   */
  names: readonly string[];
  /** What the client says of those it asked for by name, as the `claims` parameter has it. OpenID Connect Core §5.5.1 */
  requests: ClaimRequests;
  /**
   * The languages that the client would have them in, as tags, the best first; none: it does not say. A claim in one of them may be said
   * by its name alone, or beside others as `name#fr-CA`. OpenID Connect Core §5.2
   */
  locales: readonly string[];
  /** The scope that was granted. */
  scope: string;
  /** In an ID token, or at the userinfo endpoint. */
  location: 'id_token' | 'userinfo';
}

/** Knows what may be said of users. */
export interface OpenIdModel<C extends Client = Client, U extends User = User> {
  /**
   * Claims of a user, by the names of OpenID Connect Core §5.1 or by names of your own. It may return all that is known: what is
   * not asked for, is null or empty is left out, and what the server itself says (`iss`, `sub`, `aud`, …) stands as it is.
   */
  getClaims(user: U, request: ClaimsRequest<C>): Awaitable<object | Falsy>;
}
