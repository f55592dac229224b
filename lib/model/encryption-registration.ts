/**
 * Client fields for encrypted responses, for `encryption()`. Each pair sets the key management algorithm (`Alg`), such
 * as `ECDH-ES` or `RSA-OAEP-256`, and the content encryption (`Enc`), `A128CBC-HS256` if omitted.
 */
export interface EncryptionRegistration {
  /**
   * Key management algorithm of encrypted ID tokens. OpenID Connect Registration §2 (`id_token_encrypted_response_alg`)
   */
  idTokenEncryptedResponseAlg?: string;
  /** Content encryption of ID tokens. Default: `A128CBC-HS256`. (`id_token_encrypted_response_enc`) */
  idTokenEncryptedResponseEnc?: string;
  /**
   * Key management algorithm of encrypted userinfo responses. OpenID Connect Registration §2
   * (`userinfo_encrypted_response_alg`)
   */
  userinfoEncryptedResponseAlg?: string;
  /** Content encryption of userinfo responses. Default: `A128CBC-HS256`. (`userinfo_encrypted_response_enc`) */
  userinfoEncryptedResponseEnc?: string;
  /**
   * Key management algorithm of encrypted authorization responses, which are signed too. JARM §3
   * (`authorization_encrypted_response_alg`)
   */
  authorizationEncryptedResponseAlg?: string;
  /**
   * Content encryption of authorization responses. Default: `A128CBC-HS256`. (`authorization_encrypted_response_enc`)
   */
  authorizationEncryptedResponseEnc?: string;
  /**
   * Key management algorithm of encrypted introspection responses, which are signed too. RFC 9701 §6
   * (`introspection_encrypted_response_alg`)
   */
  introspectionEncryptedResponseAlg?: string;
  /**
   * Content encryption of introspection responses. Default: `A128CBC-HS256`. (`introspection_encrypted_response_enc`)
   */
  introspectionEncryptedResponseEnc?: string;
}
