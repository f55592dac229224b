export type { SigningAlgorithm } from './algorithms.js';
export type { Jwk, JwkSet } from './jwk.js';
export { JwtTokens } from './jwt-tokens/jwt-tokens.js';
export type { JwtTokensOptions } from './jwt-tokens/settings.js';
export type { KeyModel } from './keys/key-model.js';
export { keys, type KeysFeature, type KeysOptions } from './keys/keys.js';
export type { KeyInfo, KeyState } from './keys/schedule.js';
export type { KeyMaterial, PemKey, Signer } from './keys/signing-key.js';
export { signingKeys, type SigningKeys } from './keys/signing-keys.js';
