import type { Request } from '../http/request.js';
import type { Awaitable, Client, Model } from '../model/model.js';

/** Who a request says it comes from, and its proof. */
export interface ClientClaim {
  id: string;
  /** Left out by a client that has none. */
  secret?: string;
  /** What else it proves itself by, which its method knows to read: an assertion. */
  evidence?: string;
}

/** What a proof is judged by. */
export interface ProofFacts {
  readonly request: Request;
  readonly model: Model;
  /** The issuer that is asked; undefined where the host has named none. */
  readonly issuer: string | undefined;
}

/** One way for a client to say who it is. RFC 6749 §2.3 */
export interface ClientAuthentication {
  /** Its `token_endpoint_auth_method`. RFC 7591 §2 */
  readonly method: string;
  /**
   * What of a request says so. Left out: nothing does, a client proves itself by its connection, which may show something for
   * whoever calls; then it is asked to `prove` itself where it is registered for this method and only names itself. RFC 8705 §2
   */
  claim?(request: Request): ClientClaim | undefined;
  /**
   * Judges what the model cannot. Asked for a client that is registered for this method, which then can use no other one.
   * Left out: the model compares the secret.
   * @throws InvalidClientError where it proves nothing
   */
  prove?(claim: ClientClaim, client: Client, facts: ProofFacts): Awaitable<void>;
}
