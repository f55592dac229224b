import { decodeJwt, errors } from 'jose';
import { InvalidTokenError, type OAuthError, type RefusalDetail } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import { isVerificationError } from '../verification-error.js';
import type { Settings } from './settings.js';

/** The error that rejects a token: the message is for the client, the detail for the log. */
export const rejected = (message: string, detail: RefusalDetail): OAuthError =>
  new InvalidTokenError(`Invalid token: ${message}`).because(detail);

/** Returns the error that rejects a token for what `jose` found, or the error itself if the server is at fault. */
export function toRejection(error: unknown, token: string, { issuer, algorithms }: Settings): unknown {
  if (error instanceof errors.JWTExpired) return new InvalidTokenError('Invalid token: access token has expired');
  if (!isVerificationError(error)) return error;
  const iss = issuerOf(token);
  // The keys of the issuer verify no token of another one, so that the signature is never the useful reason.
  if (iss !== issuer) {
    return rejected('it is of another issuer', {
      reason: 'the token is of the issuer',
      expected: issuer,
      given: shortText(iss),
    });
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return rejected(`the claim \`${error.claim}\` is ${error.reason === 'missing' ? 'missing' : 'invalid'}`, {
      reason: `the token has a valid claim \`${error.claim}\``,
    });
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return rejected('its signature algorithm is not accepted', {
      reason: '`alg` is accepted',
      expected: algorithms.join(' '),
    });
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return rejected('the issuer has no such key', { reason: 'the issuer publishes the key that `kid` names' });
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return rejected('its signature is invalid', { reason: 'the signature is valid for a key of the issuer' });
  }
  return rejected('it is not a signed JWT', { reason: 'the token is a JWS in compact form' });
}

/** Returns the unverified `iss` of a token: for the message alone. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
