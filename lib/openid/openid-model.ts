import type { Awaitable, Client, Falsy, User } from '../model/model.js';
import type { ClaimRequests } from './claims-parameter.js';

/** The claims of a user that a client requests, and where they are returned. */
export interface ClaimsRequest<C extends Client = Client> {
  client: C;
  /**
   * The names of the claims to return: those of the granted scope, and those that the client requested by name. Do not
   * use them as column names, because a client can request any name.
   */
  names: readonly string[];
  /**
   * The conditions for the claims that the client requested by name, from the parameter `claims`. OpenID Connect Core
   * §5.5.1
   */
  requests: ClaimRequests;
  /**
   * The language tags that the client prefers, the best first. If empty, it specifies none. Return a translated claim
   * under its plain name, or several translations under names such as `name#fr-CA`. OpenID Connect Core §5.2
   */
  locales: readonly string[];
  /** The granted scope. */
  scope: string;
  /** Where the claims are returned: in an ID token, or by the userinfo endpoint. */
  location: 'id_token' | 'userinfo';
}

/** The model interface that returns claims about users. */
export interface OpenIdModel<C extends Client = Client, U extends User = User> {
  /**
   * Returns claims of a user, by the names of OpenID Connect Core §5.1 or by names of your own. It may return all known
   * claims. Claims that were not requested, are `null` or are empty are omitted. The server sets `iss`, `sub`, `aud`
   * and similar claims itself.
   */
  getClaims(user: U, request: ClaimsRequest<C>): Awaitable<object | Falsy>;
}
