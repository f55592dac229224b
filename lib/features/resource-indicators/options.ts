import type { Awaitable, Client, Falsy, User } from '../../model/model.js';

/** A model that decides for which resources tokens are issued, if a list in the options is not sufficient. */
export interface ResourceModel<C extends Client = Client, U extends User = User> {
  /**
   * Decides whether the client may get a token for this resource. It replaces the lists in the options. Called when a
   * request contains the resource, and with the user whenever a token is issued for it. RFC 8707 §2
   * @param resource An absolute URI without fragment, as the client spells it.
   */
  validateResource?(resource: string, client: C, user: U | undefined): Awaitable<boolean | Falsy>;
}

/** The options of `resourceIndicators()`. */
export interface ResourceIndicatorOptions {
  /**
   * The resources that clients may request, as absolute URIs, in addition to the resources of this application.
   * Default: none.
   */
  resources?: readonly string[];
  /**
   * The URLs of the resources that this application serves, if no other feature declares them. Routes under the path of
   * a resource belong to it. Default: none.
   */
  own?: readonly string[];
  /**
   * The resources of a request without `resource`. If omitted, the only known resource. If several are known, each
   * request must then contain `resource`, unless `unrestricted` is set. The resource of `mcp()` does not count.
   */
  default?: string | readonly string[];
  /**
   * Whether requests without `resource` get tokens without a resource, which the guard accepts, except at the resource
   * of `mcp()`. Use it while clients and tokens do not use resources yet. Default: `false`, but `true` if the resource
   * of `mcp()` is the only known one.
   */
  unrestricted?: boolean;
}
