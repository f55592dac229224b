/** What a client says of itself, by the names of RFC 7591 §2; texts for people may come in several languages: `client_name#ja`. */
export interface ClientMetadata {
  readonly redirect_uris?: readonly string[];
  readonly token_endpoint_auth_method: string;
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  /** `web` or `native`. OpenID Registration §2 */
  readonly application_type?: string;
  readonly client_name?: string;
  readonly client_uri?: string;
  readonly logo_uri?: string;
  readonly tos_uri?: string;
  readonly policy_uri?: string;
  readonly contacts?: readonly string[];
  /** What it may ask for, separated by spaces. */
  readonly scope?: string;
  readonly jwks_uri?: string;
  readonly jwks?: JsonWebKeySet;
  readonly software_id?: string;
  readonly software_version?: string;
  readonly software_statement?: string;
  /** RFC 9126 §6 */
  readonly require_pushed_authorization_requests?: boolean;
  /** RFC 9449 §5.2 */
  readonly dpop_bound_access_tokens?: boolean;
  /** RFC 8705 §3.4 */
  readonly tls_client_certificate_bound_access_tokens?: boolean;
  /** One of these five, by which its certificate names it. RFC 8705 §2.1.2 */
  readonly tls_client_auth_subject_dn?: string;
  readonly tls_client_auth_san_dns?: string;
  readonly tls_client_auth_san_uri?: string;
  readonly tls_client_auth_san_ip?: string;
  readonly tls_client_auth_san_email?: string;
  /** RFC 9101 §10.5, OpenID Registration §2 */
  readonly require_signed_request_object?: boolean;
  readonly request_object_signing_alg?: string;
  readonly request_object_encryption_alg?: string;
  readonly request_object_encryption_enc?: string;
  readonly request_uris?: readonly string[];
  /** JARM §3 */
  readonly authorization_signed_response_alg?: string;
  /** OpenID Connect Registration §2 */
  readonly id_token_signed_response_alg?: string;
  readonly userinfo_signed_response_alg?: string;
  readonly subject_type?: 'public' | 'pairwise';
  readonly sector_identifier_uri?: string;
  readonly default_max_age?: number;
  readonly require_auth_time?: boolean;
  readonly default_acr_values?: readonly string[];
  readonly initiate_login_uri?: string;
  /** An extension: whether ID tokens contain the claims of scopes. OpenID Connect Core §5.4 */
  readonly claims_in_id_token?: boolean;
  /** RP-Initiated Logout §3.1 */
  readonly post_logout_redirect_uris?: readonly string[];
  /** Back-Channel Logout §2.2, Front-Channel Logout §2 */
  readonly backchannel_logout_uri?: string;
  readonly backchannel_logout_session_required?: boolean;
  readonly frontchannel_logout_uri?: string;
  readonly frontchannel_logout_session_required?: boolean;
  /** OpenID Connect Registration §2, JARM §3, RFC 9701 §6 */
  readonly id_token_encrypted_response_alg?: string;
  readonly id_token_encrypted_response_enc?: string;
  readonly userinfo_encrypted_response_alg?: string;
  readonly userinfo_encrypted_response_enc?: string;
  readonly authorization_encrypted_response_alg?: string;
  readonly authorization_encrypted_response_enc?: string;
  readonly introspection_encrypted_response_alg?: string;
  readonly introspection_encrypted_response_enc?: string;
  /** OpenID CIBA §4 */
  readonly backchannel_token_delivery_mode?: 'poll' | 'ping';
  readonly backchannel_client_notification_endpoint?: string;
  readonly backchannel_authentication_request_signing_alg?: string;
  readonly backchannel_user_code_parameter?: boolean;
  /** RFC 9396 §10 */
  readonly authorization_details_types?: readonly string[];
  /** RFC 9701 §6 */
  readonly introspection_signed_response_alg?: string;
  readonly [tagged: `${string}#${string}`]: string;
}

/** Public keys. RFC 7517 §5 */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}
