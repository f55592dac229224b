import { collectedCapability } from '../../contracts/capability.js';

/** Which client assertions a feature accepts. RFC 7523 §3 */
export interface ClientAssertions {
  /** Whether `aud` must be the issuer alone, as a string. */
  readonly issuerAudienceOnly: boolean;
}

/** The key under which features contribute which client assertions they accept, for profiles that restrict it. */
export const CLIENT_ASSERTIONS = collectedCapability<ClientAssertions>('client assertions');
