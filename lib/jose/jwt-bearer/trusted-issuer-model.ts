import type { Awaitable, Client, Falsy } from '../../model/model.js';
import type { AssertionIssuer } from './options.js';

/** Knows issuers that come and go, as the identity providers of customers do. */
export interface TrustedIssuerModel<C extends Client = Client> {
  /**
   * The issuer of this name, to the letter, if assertions of it may be redeemed; asked for those that the option `issuers` does not list.
   * Its keys are fetched from public addresses alone. Falsy: it is not trusted. RFC 7521 §5.1
   */
  findTrustedIssuer?(issuer: string, client: C): Awaitable<Omit<AssertionIssuer, 'fetch'> | Falsy>;
}
