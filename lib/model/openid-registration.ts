/**
 * The client fields of the OpenID Connect features, such as `openid()`, `logout()` and `ciba()`. OpenID Connect
 * Registration §2
 */
export interface OpenIdRegistration {
  /**
   * The signature algorithm of ID tokens. If omitted, the option `alg` of `openid()`. (`id_token_signed_response_alg`)
   */
  idTokenSignedResponseAlg?: string;
  /**
   * The signature algorithm of userinfo responses. If omitted, they are unsigned JSON. (`userinfo_signed_response_alg`)
   */
  userinfoSignedResponseAlg?: string;
  /**
   * Which `sub` the client receives: `public`, the user's `id`, or `pairwise`, an identifier that only the clients of
   * one sector share. (`subject_type`)
   */
  subjectType?: 'public' | 'pairwise';
  /**
   * The URL of a document that lists the client's redirect URIs. Its host is the client's sector. Required if the
   * redirect URIs of a pairwise client have several hosts. (`sector_identifier_uri`)
   */
  sectorIdentifierUri?: string;
  /** Whether ID tokens contain `auth_time`. (`require_auth_time`) */
  requireAuthTime?: boolean;
  /**
   * Whether ID tokens contain the claims of scopes, for clients that do not call the userinfo endpoint. If omitted, the
   * option `claimsInIdToken` of `openid()` applies. (`claims_in_id_token`, an extension) OpenID Connect Core §5.4
   */
  claimsInIdToken?: boolean;
  /** Default maximum age of the login in seconds, for requests without `max_age`. (`default_max_age`) */
  defaultMaxAge?: number;
  /** Default `acr` values in order of preference, for requests without `acr_values`. (`default_acr_values`) */
  defaultAcrValues?: readonly string[];
  /** The https URL at which a user can start the login to the client. (`initiate_login_uri`) OpenID Connect Core §4 */
  initiateLoginUri?: string;
  /**
   * The URIs to which users may be redirected after logout. They are compared as a whole. (`post_logout_redirect_uris`)
   */
  postLogoutRedirectUris?: readonly string[];
  /** How the client learns of the user's decision in CIBA. If omitted, it polls. (`backchannel_token_delivery_mode`) */
  backchannelTokenDeliveryMode?: 'poll' | 'ping';
  /** The URL to which CIBA pings are sent, for the mode `ping`. (`backchannel_client_notification_endpoint`) */
  backchannelClientNotificationEndpoint?: string;
  /**
   * The signature algorithm of the client's CIBA requests. If omitted, requests may be unsigned or use any supported
   * algorithm. (`backchannel_authentication_request_signing_alg`)
   */
  backchannelAuthenticationRequestSigningAlg?: string;
  /**
   * Whether the client sends a code that the user knows, to prevent unsolicited CIBA requests.
   * (`backchannel_user_code_parameter`)
   */
  backchannelUserCodeParameter?: boolean;
  /**
   * The URL to which logout tokens are sent when the user signs out. (`backchannel_logout_uri`) Back-Channel
   * Logout §2.2
   */
  backchannelLogoutUri?: string;
  /** Whether logout tokens must contain `sid`. They always do. (`backchannel_logout_session_required`) */
  backchannelLogoutSessionRequired?: boolean;
  /**
   * The URL that the logout page opens in a hidden frame when the user signs out. (`frontchannel_logout_uri`)
   * Front-Channel Logout §2
   */
  frontchannelLogoutUri?: string;
  /**
   * Whether the front-channel logout URL must receive `iss` and `sid`. It always does.
   * (`frontchannel_logout_session_required`)
   */
  frontchannelLogoutSessionRequired?: boolean;
}
