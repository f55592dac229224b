import { collectedCapability } from '../../contracts/capability.js';

/** The requirements of a feature for signed requests at one endpoint. RFC 9101, CIBA §7.1.1 */
export interface SignedRequests {
  /** The id of the endpoint that the requests are sent to: `authorize` or `backchannel_authentication`. */
  readonly endpoint: string;
  /** Whether every request to this endpoint must be signed. */
  readonly required: boolean;
  /** Maximum number of seconds from `nbf` to `exp` of a request. If `undefined`, there is no limit. */
  readonly maxLifetime: number | undefined;
}

/**
 * The capability key under which features contribute their requirements for signed requests. Metadata and profiles read
 * it.
 */
export const SIGNED_REQUESTS = collectedCapability<SignedRequests>('signed requests');
