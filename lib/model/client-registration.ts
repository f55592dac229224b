/** Client fields of RFC 7591, mutual TLS, DPoP and other specifications that add only a few fields. */
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
  /** The URL of the client's privacy policy, linked on the consent page. RFC 7591 §2 (`policy_uri`) */
  policyUri?: string;
  /** The URL of the client's terms of service, linked on the consent page. RFC 7591 §2 (`tos_uri`) */
  tosUri?: string;
  /**
   * The client authentication method, such as `'private_key_jwt'`. `'none'` makes it a public client. RFC 7591 §2
   * (`token_endpoint_auth_method`)
   */
  tokenEndpointAuthMethod?: string;
  /**
   * The only signature algorithm that the client's assertions for client authentication may use. If omitted, any
   * supported algorithm. OpenID Connect Registration §2 (`token_endpoint_auth_signing_alg`)
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
   * The subject DN of the client certificate, for the method `tls_client_auth`, which requires exactly one of the five
   * `tlsClientAuth…` fields. RFC 8705 §2.1.2
   */
  tlsClientAuthSubjectDn?: string;
  /** The DNS name in the subject alternative names of the client certificate, for `tls_client_auth`. RFC 8705 §2.1.2 */
  tlsClientAuthSanDns?: string;
  /** The URI in the subject alternative names of the client certificate, for `tls_client_auth`. RFC 8705 §2.1.2 */
  tlsClientAuthSanUri?: string;
  /**
   * The IP address in the subject alternative names of the client certificate, for `tls_client_auth`. RFC 8705 §2.1.2
   */
  tlsClientAuthSanIp?: string;
  /**
   * The email address in the subject alternative names of the client certificate, for `tls_client_auth`.
   * RFC 8705 §2.1.2
   */
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
