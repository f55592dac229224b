import { decodeJwt, errors } from 'jose';
import { InvalidTokenError, type OAuthError, type RefusalDetail } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import { ID_TOKEN_DETAIL, ID_TOKEN_SENT, looksLikeIdToken } from '../../tokens/id-token-shape.js';
import { isVerificationError } from '../verification-error.js';
import { OTHER_ISSUER } from '../../remote/token-claims.js';
import type { Settings } from './settings.js';

/** Returns the error that rejects an access token. The message is sent to the client, the detail is only logged. */
export const rejected = (message: string, detail: RefusalDetail): OAuthError =>
  new InvalidTokenError(`Invalid token: ${message}`).because(detail);

/**
 * Converts an error of `jose` into the error that rejects the token. Returns the error unchanged if the token did not
 * cause it.
 */
export function toRejection(error: unknown, token: string, { issuer, algorithms }: Settings): unknown {
  if (error instanceof errors.JWTExpired) return new InvalidTokenError('Invalid token: access token has expired');
  if (!isVerificationError(error)) return error;
  const iss = issuerOf(token);
  // Check the issuer first: a token of another issuer always has an unknown key, so a signature error would mislead.
  if (iss !== issuer) {
    return rejected('the token was issued by another issuer', {
      reason: 'token was issued by another issuer',
      expected: issuer,
      given: shortText(iss),
      remedy: OTHER_ISSUER,
    });
  }
  if (looksLikeIdToken(token)) return rejected(ID_TOKEN_SENT, ID_TOKEN_DETAIL);
  if (error instanceof errors.JWTClaimValidationFailed) {
    return rejected(`the claim \`${error.claim}\` is ${error.reason === 'missing' ? 'missing' : 'invalid'}`, {
      reason: `claim \`${error.claim}\` is missing or invalid`,
    });
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return rejected('the signature algorithm of the token is not accepted', {
      reason: '`alg` of the token is not accepted',
      expected: algorithms.join(' '),
    });
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return rejected('the issuer has no key that matches the token', {
      reason: 'issuer does not publish the key of the token',
      remedy: 'get a new token from this issuer, and compare its `jwks_uri` with the server that signs',
    });
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return rejected('the signature of the token is invalid', {
      reason: 'signature does not match the key of the issuer',
    });
  }
  return rejected('the token is not a signed JWT', { reason: 'token is not a JWS in compact form' });
}

/** Returns the unverified `iss` of a token. Use it only for messages. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
