import type { Challenge } from '../../contracts/challenge.js';
import { hash } from 'node:crypto';

import { InvalidGrantError, InvalidRequestError, ServerError } from '../../errors/index.js';
import { FORM_OR_URL, optional } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isPKCE } from '../../http/syntax.js';
import type { AuthorizationCode } from '../../model/model.js';
import { constantTimeEqual } from '../../crypto/constant-time-equal.js';

/**
 * Reads the PKCE challenge of an authorization request. `undefined` if the request has none.
 * @throws {InvalidRequestError} If the challenge is malformed, or its method is not supported. RFC 7636 §4.3
 */
export function readChallenge(request: Request, enablePlainPKCE: boolean): Challenge | undefined {
  const requestedMethod = optional(request, 'code_challenge_method', isMethod, FORM_OR_URL);
  const codeChallengeMethod = requestedMethod ?? defaultMethod(enablePlainPKCE);
  if (codeChallengeMethod === 'plain') verifyPlain(enablePlainPKCE);
  else if (codeChallengeMethod !== 'S256') {
    throw new InvalidRequestError(`Invalid request: transform algorithm '${codeChallengeMethod}' not supported`);
  }
  const codeChallenge = optional(request, 'code_challenge', isPKCE, FORM_OR_URL);
  if (codeChallenge) return { codeChallenge, codeChallengeMethod };
  if (requestedMethod) throw new InvalidRequestError('Missing parameter: `code_challenge`');
  return undefined;
}

/** Whether the request contains a PKCE challenge, valid or not. */
export function hasChallenge(request: Request): boolean {
  return optional(request, 'code_challenge', () => true, FORM_OR_URL) !== undefined;
}

const isMethod = (value: string) => /^[\w.-]{1,32}$/.test(value);

/**
 * Returns the challenge method that applies if none is given: `plain` as in RFC 7636 §4.3, or `S256` if `plain` is not
 * allowed.
 */
const defaultMethod = (enablePlainPKCE: boolean) => (enablePlainPKCE ? 'plain' : 'S256');

function verifyPlain(enablePlainPKCE: boolean): void {
  if (enablePlainPKCE) return;
  throw new InvalidRequestError('Invalid request: `code_challenge_method` "plain" is not allowed; use "S256"');
}

/**
 * Verifies the code verifier of a token request against the challenge that is stored with the code. Without a
 * challenge, the request must not contain a verifier.
 * @throws {InvalidGrantError} If the verifier is missing, unexpected or does not match. RFC 7636 §4.6
 */
export function verifyCodeVerifier(request: Request, code: AuthorizationCode, enablePlainPKCE: boolean): void {
  if (!code.codeChallenge) {
    if (optional(request, 'code_verifier', () => true) === undefined) return;
    const reason = 'request contains a code verifier, but the authorization request had no `code_challenge`';
    throw new InvalidGrantError('Invalid grant: code verifier is invalid').because({ reason });
  }
  const method = code.codeChallengeMethod || defaultMethod(enablePlainPKCE);
  if (method === 'plain') verifyPlain(enablePlainPKCE);
  const verifier = optional(request, 'code_verifier', isPKCE);
  if (!verifier) throw new InvalidGrantError('Missing parameter: `code_verifier`');
  if (!constantTimeEqual(transform(verifier, method), code.codeChallenge)) {
    const reason = `code verifier does not match the code challenge (${method})`;
    throw new InvalidGrantError('Invalid grant: code verifier is invalid').because({ reason });
  }
}

function transform(verifier: string, method: string): string {
  if (method === 'S256') return hash('sha256', verifier, 'base64url');
  if (method === 'plain') return verifier;
  throw new ServerError('Server error: no valid hash algorithm available to verify `code_verifier`');
}
