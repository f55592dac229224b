export { JwtTokens } from './jwt-tokens/jwt-tokens.js';
export type { JwtTokensOptions } from './jwt-tokens/settings.js';
export type { SigningAlgorithm } from './algorithms.js';
export type { Jwk, JwkSet } from './jwk.js';
