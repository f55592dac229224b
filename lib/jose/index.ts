export type { SigningAlgorithm } from './algorithms.js';
export { clientSecretJwt, type ClientSecretJwtOptions, type ClientSecretModel } from './client-secret-jwt.js';
export { dpop, type DpopFeature } from './dpop/dpop.js';
export type { DpopNonceOptions, DpopOptions } from './dpop/options.js';
export type { ContentEncryption, KeyManagementAlgorithm } from './encryption/algorithms.js';
export { encryption, type EncryptionOptions } from './encryption/encryption.js';
export { type ClientEncryption, ENCRYPTION } from './encryption/find-encryption.js';
export type { IssuerOptions } from './issuer-keys.js';
export type { Jwk, JwkSet } from './jwk.js';
export { jarm, type JarmOptions } from './jarm/jarm.js';
export { jwtAccessTokens, type JwtAccessTokenModel, type JwtAccessTokensOptions } from './jwt-access-tokens.js';
export { jwtBearer } from './jwt-bearer/jwt-bearer.js';
export type { AssertionIssuer, JwtBearerOptions } from './jwt-bearer/options.js';
export type { TrustedIssuerModel } from './jwt-bearer/trusted-issuer-model.js';
export { JwtTokens } from './jwt-tokens/jwt-tokens.js';
export { auth0, cognito, entra, keycloak } from './jwt-tokens/presets.js';
export type { ClaimPath } from './jwt-tokens/claim-rules.js';
export type { ClaimRules, JwtTokensOptions } from './jwt-tokens/settings.js';
export type { KeyModel } from './keys/key-model.js';
export { KEYS } from './keys/find-keys.js';
export type { KeyRing } from './keys/key-ring.js';
export { keys, type KeysOptions } from './keys/keys.js';
export type { KeyMaterial, PemKey, Signer } from './keys/key-material.js';
export type { KeyAlgorithm, KeyInfo, KeyState } from './keys/schedule.js';
export {
  privateKeyJwt,
  type PrivateKeyJwtFeature,
  type PrivateKeyJwtOptions,
} from './private-key-jwt/private-key-jwt.js';
export { DECRYPTION, type Decrypting } from './decryption/decrypting.js';
export type { EncryptedObjectOptions } from './request-objects/encrypted-objects.js';
export type { RequestObjectOptions } from './request-objects/options.js';
export { requestObjects, type RequestObjectsFeature } from './request-objects/request-objects.js';
export type { EncryptionRegistration } from '../model/encryption-registration.js';
export type { SignedRequestRegistration } from '../model/signed-request-registration.js';
export { signingKeys, type SigningKeys } from './keys/signing-keys.js';
export type { AssertedClaims, AssertedUserModel } from './trusted-issuers/asserted-model.js';
export { type TokenIssuerOptions, trustedTokens, type TrustedTokensOptions } from './trusted-issuers/trusted-tokens.js';
export { signedAnswers, type SignedAnswersOptions } from './signed-answers/signed-answers.js';
export { signedIntrospection, type SignedIntrospectionOptions } from './signed-answers/signed-introspection.js';
export { signedMetadata, type SignedMetadataOptions } from './signed-answers/signed-metadata.js';
