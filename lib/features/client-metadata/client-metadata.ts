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
  readonly [tagged: `${string}#${string}`]: string;
}

/** Public keys. RFC 7517 §5 */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}
