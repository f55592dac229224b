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
  /** `'none'` says that this client is public: it has no secret. RFC 7591 §2 */
  tokenEndpointAuthMethod?: string;
  /** By which algorithm alone its assertions are signed. OpenID Connect Registration §2 (`token_endpoint_auth_signing_alg`) */
  tokenEndpointAuthSigningAlg?: string;
  /** Must it push its authorization requests? For the feature `pushedRequests`. RFC 9126 §6 */
  requirePushedAuthorizationRequests?: boolean;
  /** Are its access tokens bound to a key? Then it brings a proof for each. For the feature `dpop`. RFC 9449 §5.2 */
  dpopBoundAccessTokens?: boolean;
  /** Are its access tokens bound to the certificate that it shows? For the feature `mutualTls`. RFC 8705 §3.4 */
  tlsClientCertificateBoundAccessTokens?: boolean;
  /** Whom its certificate names, where it authenticates by `tls_client_auth`: one of these five. RFC 8705 §2.1.2 */
  tlsClientAuthSubjectDn?: string;
  tlsClientAuthSanDns?: string;
  tlsClientAuthSanUri?: string;
  tlsClientAuthSanIp?: string;
  tlsClientAuthSanEmail?: string;
  /** The types of authorization details that it may ask for. Left out: all. For the feature `authorizationDetails`. RFC 9396 §10 */
  authorizationDetailsTypes?: readonly string[];
  /** What introspection answers it by, signed. For the feature `signedIntrospection`. RFC 9701 §6 */
  introspectionSignedResponseAlg?: string;
}
