/**
 * What a client is registered with that wants its answers encrypted, for `encryption()`: of each kind how the key travels, ECDH-ES or
 * RSA-OAEP-256 say, and what the answer is encrypted by, A128CBC-HS256 where that is left out.
 */
export interface EncryptionRegistration {
  /** Of its ID tokens. OpenID Connect Registration §2 (`id_token_encrypted_response_alg`) */
  idTokenEncryptedResponseAlg?: string;
  /** (`id_token_encrypted_response_enc`) */
  idTokenEncryptedResponseEnc?: string;
  /** Of the answers of the userinfo endpoint, signed or not. OpenID Connect Registration §2 (`userinfo_encrypted_response_alg`) */
  userinfoEncryptedResponseAlg?: string;
  /** (`userinfo_encrypted_response_enc`) */
  userinfoEncryptedResponseEnc?: string;
  /** Of authorization answers that are signed. JARM §3 (`authorization_encrypted_response_alg`) */
  authorizationEncryptedResponseAlg?: string;
  /** (`authorization_encrypted_response_enc`) */
  authorizationEncryptedResponseEnc?: string;
  /** Of introspection that is signed. RFC 9701 §6 (`introspection_encrypted_response_alg`) */
  introspectionEncryptedResponseAlg?: string;
  /** (`introspection_encrypted_response_enc`) */
  introspectionEncryptedResponseEnc?: string;
}
