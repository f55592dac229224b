/** Client fields of RFC 7591 and of specifications that add only a few fields. */
export interface ClientRegistration {
  /**
   * The application type: `'web'`, or `'native'` for an application on the user's device. Native clients may use any
   * loopback port in redirect URIs. OpenID Connect Registration §2 (`application_type`)
   */
  applicationType?: string;
  /**
   * The client's public keys as a JWK set, for client authentication, signed requests and encrypted responses.
   * RFC 7591 §2 (`jwks`)
   */
  jwks?: { keys: readonly object[] };
  /** The URL of the client's JWK set, as an alternative to `jwks`. RFC 7591 §2 (`jwks_uri`) */
  jwksUri?: string;
  /** The URL of the client's logo, shown to users. RFC 7591 §2 (`logo_uri`) */
  logoUri?: string;
  /** The client authentication method. `'none'` makes it a public client. RFC 7591 §2 (`token_endpoint_auth_method`) */
  tokenEndpointAuthMethod?: string;
  /**
   * The only signature algorithm that the client's assertions may use. OpenID Connect Registration §2
   * (`token_endpoint_auth_signing_alg`)
   */
  tokenEndpointAuthSigningAlg?: string;
  /** Whether the client must push its authorization requests. For the feature `pushedRequests()`. RFC 9126 §6 */
  requirePushedAuthorizationRequests?: boolean;
  /** Whether the client's access tokens must be bound to a key by DPoP. For the feature `dpop()`. RFC 9449 §5.2 */
  dpopBoundAccessTokens?: boolean;
  /**
   * Whether the client's access tokens are bound to its TLS certificate. For the feature `mutualTls()`. RFC 8705 §3.4
   */
  tlsClientCertificateBoundAccessTokens?: boolean;
  /**
   * The subject of the client certificate, for `tls_client_auth`. Exactly one of the five `tlsClientAuth…` fields must
   * be set. RFC 8705 §2.1.2
   */
  tlsClientAuthSubjectDn?: string;
  tlsClientAuthSanDns?: string;
  tlsClientAuthSanUri?: string;
  tlsClientAuthSanIp?: string;
  tlsClientAuthSanEmail?: string;
  /**
   * The types of authorization details that the client may request. If omitted, all types. For the feature
   * `authorizationDetails()`. RFC 9396 §10
   */
  authorizationDetailsTypes?: readonly string[];
  /**
   * The signature algorithm of introspection responses to the client. For the feature `signedIntrospection()`.
   * RFC 9701 §6
   */
  introspectionSignedResponseAlg?: string;
}
