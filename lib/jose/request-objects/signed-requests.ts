import { collectedCapability } from '../../contracts/capability.js';

/** Which signed requests a feature accepts. RFC 9101, CIBA §7.1.1 */
export interface SignedRequests {
  /** The id of the endpoint that the requests are sent to: `authorize` or `backchannel_authentication`. */
  readonly endpoint: string;
  /** Whether every request must be signed. */
  readonly required: boolean;
  /** Maximum number of seconds from `nbf` to `exp`. If `undefined`, there is no limit. */
  readonly maxLifetime: number | undefined;
}

/** The key under which features contribute which signed requests they accept. Metadata and profiles read it. */
export const SIGNED_REQUESTS = collectedCapability<SignedRequests>('signed requests');
