/** What a client is registered with that signs its requests, or wants signed answers: for `requestObjects()` and `jarm()`. */
export interface SignedRequestRegistration {
  /** Must its authorization requests be signed? RFC 9101 §10.5 (`require_signed_request_object`) */
  requireSignedRequestObject?: boolean;
  /** By which algorithm alone it signs them. OpenID Connect Registration §2 (`request_object_signing_alg`) */
  requestObjectSigningAlg?: string;
  /**
   * How the key of its request objects travels, where it encrypts them to the server: ECDH-ES, say. It may use another one, or none.
   * OpenID Connect Registration §2 (`request_object_encryption_alg`)
   */
  requestObjectEncryptionAlg?: string;
  /** What they are encrypted by, A128CBC-HS256 where that is left out (`request_object_encryption_enc`) */
  requestObjectEncryptionEnc?: string;
  /** Where they may be fetched from. OpenID Connect Registration §2 (`request_uris`) */
  requestUris?: readonly string[];
  /** What its answers are signed by. JARM §3 (`authorization_signed_response_alg`) */
  authorizationSignedResponseAlg?: string;
}
