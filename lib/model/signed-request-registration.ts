/** Client fields for signed requests and signed responses, for `requestObjects()` and `jarm()`. */
export interface SignedRequestRegistration {
  /** Whether the client must sign its authorization requests. RFC 9101 §10.5 (`require_signed_request_object`) */
  requireSignedRequestObject?: boolean;
  /**
   * The only signature algorithm that the client's request objects may use. OpenID Connect Registration §2
   * (`request_object_signing_alg`)
   */
  requestObjectSigningAlg?: string;
  /**
   * The key management algorithm with which the client intends to encrypt its request objects, such as `ECDH-ES`. It is
   * not enforced: the client may use another one, or not encrypt. OpenID Connect Registration §2
   * (`request_object_encryption_alg`)
   */
  requestObjectEncryptionAlg?: string;
  /**
   * The content encryption with which the client intends to encrypt its request objects. Default: `A128CBC-HS256`.
   * (`request_object_encryption_enc`)
   */
  requestObjectEncryptionEnc?: string;
  /** The URLs from which request objects may be fetched. OpenID Connect Registration §2 (`request_uris`) */
  requestUris?: readonly string[];
  /** The signature algorithm of signed authorization responses. JARM §3 (`authorization_signed_response_alg`) */
  authorizationSignedResponseAlg?: string;
}
