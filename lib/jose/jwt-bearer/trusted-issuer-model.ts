import type { Awaitable, Client, Falsy } from '../../model/model.js';
import type { AssertionIssuer } from './options.js';

/**
 * The optional model interface that finds trusted issuers at runtime, for example the identity providers of customers.
 */
export interface TrustedIssuerModel<C extends Client = Client> {
  /**
   * Returns the trusted issuer with exactly this identifier, or a falsy value if its assertions must not be redeemed.
   * Called for each assertion of an issuer that the option `issuers` does not list. Keys are fetched from public
   * addresses only. RFC 7521 §5.1
   */
  findTrustedIssuer?(issuer: string, client: C): Awaitable<Omit<AssertionIssuer, 'fetch'> | Falsy>;
}
