import { hash, timingSafeEqual } from 'node:crypto';

import { InvalidGrantError, InvalidRequestError, ServerError } from './errors.js';
import { optional, type Place } from './http/parameters.js';
import type { Request } from './http/request.js';
import { isPKCE, isVSCHAR } from './http/syntax.js';
import type { AuthorizationCode } from './model/model.js';

/** What a client promises to prove when it redeems the code. RFC 7636 §4.3 */
export interface Challenge {
  codeChallenge: string;
  codeChallengeMethod: string;
}

const PLACES: readonly Place[] = ['body', 'query'];

/** Reads the challenge of an authorization request. */
export function readChallenge(request: Request, enablePlainPKCE: boolean): Challenge | undefined {
  const given = optional(request, 'code_challenge_method', isVSCHAR, PLACES);
  // RFC 7636 §4.3 defaults to plain; where plain is not allowed, S256 is the only thing that can be meant.
  const codeChallengeMethod = given ?? (enablePlainPKCE ? 'plain' : 'S256');
  if (codeChallengeMethod !== 'S256' && !(codeChallengeMethod === 'plain' && enablePlainPKCE)) {
    throw new InvalidRequestError('Invalid request: `code_challenge_method` is not supported');
  }
  const codeChallenge = optional(request, 'code_challenge', isPKCE, PLACES);
  if (codeChallenge) return { codeChallenge, codeChallengeMethod };
  if (given) throw new InvalidRequestError('Missing parameter: `code_challenge`');
  return undefined;
}

/** Checks the verifier of a token request against the challenge saved with its code. RFC 7636 §4.6 */
export function verifyVerifier(request: Request, code: AuthorizationCode): void {
  const verifier = optional(request, 'code_verifier', isPKCE);
  if (!code.codeChallenge) {
    if (verifier) throw new InvalidGrantError('Invalid grant: code verifier is invalid');
    return;
  }
  if (!verifier) throw new InvalidGrantError('Missing parameter: `code_verifier`');
  if (!sameText(transform(verifier, code.codeChallengeMethod), code.codeChallenge)) {
    throw new InvalidGrantError('Invalid grant: code verifier is invalid');
  }
}

function transform(verifier: string, method = 'plain'): string {
  if (method === 'S256') return hash('sha256', verifier, 'base64url');
  if (method === 'plain') return verifier;
  throw new ServerError('Server error: `getAuthorizationCode()` did not return a valid `codeChallengeMethod`');
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
