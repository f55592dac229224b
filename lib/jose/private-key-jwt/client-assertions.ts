import { collectedCapability } from '../../contracts/capability.js';

/** The requirements of a feature for client assertions. RFC 7523 §3 */
export interface ClientAssertions {
  /** Whether `aud` must be the issuer alone, as a string. */
  readonly issuerAudienceOnly: boolean;
}

/**
 * The capability key under which features contribute their requirements for client assertions. Profiles such as
 * `fapi2()` validate them.
 */
export const CLIENT_ASSERTIONS = collectedCapability<ClientAssertions>('client assertions');
