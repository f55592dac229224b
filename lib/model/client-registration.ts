/** Client fields of RFC 7591, and of the specifications that add a field or two to it. */
export interface ClientRegistration {
  /** `'native'` says that it runs on the user's device, where its loopback port may be any. OpenID Registration §2 */
  applicationType?: string;
  /** Its public keys, as a JWK set: it proves itself by one, signs its requests, or has answers encrypted to one. RFC 7591 §2 (`jwks`) */
  jwks?: { keys: readonly object[] };
  /** Where those are, if they are not here. RFC 7591 §2 (`jwks_uri`) */
  jwksUri?: string;
  /** The URL of its logo, for the pages of the user. RFC 7591 §2 (`logo_uri`) */
  logoUri?: string;
  /** The client authentication method. `'none'`: a public client, which has no secret. RFC 7591 §2 (`token_endpoint_auth_method`) */
  tokenEndpointAuthMethod?: string;
  /** The only algorithm that its client assertions may be signed with. OpenID Connect Registration §2 (`token_endpoint_auth_signing_alg`) */
  tokenEndpointAuthSigningAlg?: string;
  /** Whether the client must push its authorization requests. For the feature `pushedRequests`. RFC 9126 §6 */
  requirePushedAuthorizationRequests?: boolean;
  /** Whether its access tokens are always bound to a key by DPoP. For the feature `dpop`. RFC 9449 §5.2 */
  dpopBoundAccessTokens?: boolean;
  /** Whether its access tokens are bound to its client certificate. For the feature `mutualTls`. RFC 8705 §3.4 */
  tlsClientCertificateBoundAccessTokens?: boolean;
  /** The subject of its certificate, if it authenticates by `tls_client_auth`. Exactly one of these five is set. RFC 8705 §2.1.2 */
  tlsClientAuthSubjectDn?: string;
  tlsClientAuthSanDns?: string;
  tlsClientAuthSanUri?: string;
  tlsClientAuthSanIp?: string;
  tlsClientAuthSanEmail?: string;
  /** The types of authorization details that it may request. If omitted, all. For the feature `authorizationDetails`. RFC 9396 §10 */
  authorizationDetailsTypes?: readonly string[];
  /** The algorithm of its signed introspection responses. For the feature `signedIntrospection`. RFC 9701 §6 */
  introspectionSignedResponseAlg?: string;
}
