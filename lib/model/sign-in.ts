/** How a user signed in: known to whoever keeps sessions, and told to clients and APIs. OpenID Connect Core 1.0 §2 */
export interface SignIn {
  /** When they proved who they are: `auth_time`. */
  authTime?: Date;
  /** What of proof that was, by a name that clients and APIs know: `urn:example:mfa`. */
  acr?: string;
  /** By which methods: `['pwd', 'otp']`. RFC 8176 §2 */
  amr?: readonly string[];
  /** Names the session to clients, and is no secret: nobody is let in by it. OpenID Connect Back-Channel Logout 1.0 §2.1 */
  sid?: string;
}
