import type { Awaitable, Client, Falsy, User } from '../../model/model.js';

/** Knows which resources there are, where no list can say it. */
export interface ResourceModel<C extends Client = Client, U extends User = User> {
  /**
   * May this client have a token for this resource? It replaces the lists: what it does not grant is refused. Asked when a
   * request names the resource, and with the user each time a token is issued for it. RFC 8707 §2
   * @param resource an absolute URI without fragment, as the client spells it
   */
  validateResource?(resource: string, client: C, user: U | undefined): Awaitable<boolean | Falsy>;
}

/** Options of `resourceIndicators`. */
export interface ResourceIndicatorOptions {
  /** What tokens may be asked for, as absolute URIs, beside the resources that this application is. Default: none */
  resources?: readonly string[];
  /** The resources that this application is, where no other feature says so: URLs, and its routes are under their paths. */
  own?: readonly string[];
  /** What is meant by a request that names no resource. Default: the only one there is; where there are several, nothing */
  default?: string | readonly string[];
  /**
   * Are tokens for no resource in particular issued where nothing is named and nothing is meant, and does the guard let them
   * in? For the time in which clients and tokens are about that know nothing of resources. Default: false
   */
  unrestricted?: boolean;
}
