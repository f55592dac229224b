/**
 * How a user signed in. It is stored with sessions, codes and tokens, and reported to clients and APIs. OpenID Connect
 * Core 1.0 §2
 */
export interface SignIn {
  /** When the user authenticated (`auth_time`). If omitted, the time is unknown. */
  authTime?: Date;
  /** The authentication context class that the login satisfied, such as `urn:example:mfa`. */
  acr?: string;
  /** The authentication methods that were used, such as `['pwd', 'otp']`. RFC 8176 §2 */
  amr?: readonly string[];
  /**
   * The ID of the session for clients. It is not a secret and grants no access. OpenID Connect Back-Channel Logout
   * 1.0 §2.1
   */
  sid?: string;
}
