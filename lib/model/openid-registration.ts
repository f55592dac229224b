/** What a client is registered with that the feature `openid()` knows. OpenID Connect Registration §2 */
export interface OpenIdRegistration {
  /** What its ID tokens are signed by. Left out: as the option `alg` says. (`id_token_signed_response_alg`) */
  idTokenSignedResponseAlg?: string;
  /** What the answers of the userinfo endpoint are signed by. Left out: by nothing, they are JSON. (`userinfo_signed_response_alg`) */
  userinfoSignedResponseAlg?: string;
  /** Whether it knows users by their own `id`, or by a name that only its sector knows. (`subject_type`) */
  subjectType?: 'public' | 'pairwise';
  /** The document whose host is its sector, where its redirect URIs are of several hosts. (`sector_identifier_uri`) */
  sectorIdentifierUri?: string;
  /** Are its ID tokens to say when the user signed in? (`require_auth_time`) */
  requireAuthTime?: boolean;
  /**
   * Whether its ID tokens contain the claims of scopes, for clients that do not call the userinfo endpoint. If omitted, the option
   * `claimsInIdToken` of `openid()` applies. (`claims_in_id_token`, an extension) OpenID Connect Core §5.4
   */
  claimsInIdToken?: boolean;
  /** Seconds after which its users have to sign in anew, where a request does not say. (`default_max_age`) */
  defaultMaxAge?: number;
  /** How strong a login it wants, the best first, where a request does not say. (`default_acr_values`) */
  defaultAcrValues?: readonly string[];
  /** Where its users go who want to sign in there, by https: it sends them here. (`initiate_login_uri`) Core §4 */
  initiateLoginUri?: string;
  /** Where its users may be sent who have signed out: whole URIs. (`post_logout_redirect_uris`) */
  postLogoutRedirectUris?: readonly string[];
  /** How it hears that a user whom it had asked elsewhere has decided. Left out: it polls. (`backchannel_token_delivery_mode`) */
  backchannelTokenDeliveryMode?: 'poll' | 'ping';
  /** Where it is told so, in the mode `ping`. (`backchannel_client_notification_endpoint`) */
  backchannelClientNotificationEndpoint?: string;
  /** By which algorithm it signs each request, as a whole. Left out: as it likes. (`backchannel_authentication_request_signing_alg`) */
  backchannelAuthenticationRequestSigningAlg?: string;
  /** Does it bring a code that its user has told it, so that nobody is asked by a stranger? (`backchannel_user_code_parameter`) */
  backchannelUserCodeParameter?: boolean;
  /** Where it is told that its user has signed out. (`backchannel_logout_uri`) Back-Channel Logout §2.2 */
  backchannelLogoutUri?: string;
  /** Does it have to be told in which session? It is, in any case. (`backchannel_logout_session_required`) */
  backchannelLogoutSessionRequired?: boolean;
  /** What is opened in the browser of a user who has signed out. (`frontchannel_logout_uri`) Front-Channel Logout §2 */
  frontchannelLogoutUri?: string;
  /** Does that have to name the session? It does, in any case. (`frontchannel_logout_session_required`) */
  frontchannelLogoutSessionRequired?: boolean;
}
