import type { LogoutTokenIssuer, LogoutTokenVerifier } from './logout-token-verifier.js';

export type { LogoutTokenClaims, LogoutTokenIssuer, LogoutTokenVerifier } from './logout-token-verifier.js';

/** Loads the verification of logout tokens, which requires the optional package `jose`. */
export async function loadLogoutTokenVerifier(load: () => Promise<LogoutTokenIssuer>): Promise<LogoutTokenVerifier> {
  const module = await import('./logout-token-verifier.js');
  return new module.LogoutTokenVerifier(load);
}
