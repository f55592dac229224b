import { isDeepStrictEqual } from 'node:util';
import type { ClientRequest } from '../contracts/client-request.js';
import { InvalidGrantError, ServerError } from '../errors/index.js';

/**
 * The member of `cnf` that binds a token: to a DPoP key (`jkt`, RFC 9449 §6.1) or to a certificate (`x5t#S256`,
 * RFC 8705 §3.1).
 */
export type Binding = 'jkt' | 'x5t#S256';

/** Returns the thumbprint in the `cnf` of a token or code. `undefined` if it is not bound in this way. RFC 7800 §3 */
export function boundThumbprint(bound: object | undefined, binding: Binding): string | undefined {
  const { cnf } = (bound ?? {}) as { cnf?: { [B in Binding]?: unknown } | null };
  const thumbprint = cnf?.[binding];
  return typeof thumbprint === 'string' ? thumbprint : undefined;
}

/**
 * Returns the thumbprint of the DPoP key that a token or code is bound to. `undefined` if it is not bound to one.
 * RFC 9449 §6.1
 */
export const jktOf = (bound: object | undefined): string | undefined => boundThumbprint(bound, 'jkt');

/**
 * Whether every confirmation method in `cnf` is verified by an installed feature. If not, the token must be rejected,
 * not treated as a bearer token.
 * @param supported The members of `cnf` that features verify.
 */
export function isConfirmationSupported(cnf: unknown, supported: ReadonlySet<string>): boolean {
  if (cnf === undefined || cnf === null) return true;
  const names = typeof cnf === 'object' ? Object.keys(cnf) : [];
  return names.length > 0 && names.every((name) => supported.has(name));
}

/**
 * Verifies that an issued token is bound to the key or certificate that the request presents. A retry within the
 * rotation grace period gets the first response again, so it must present the same one.
 * @throws {ServerError} If the model did not save `cnf` with a new token.
 * @throws {InvalidGrantError} If the retry presents another key or certificate.
 */
export function verifyRetryBinding(
  { authorization, tokenMembers: token }: ClientRequest,
  issued: object,
  binding: Binding,
): void {
  if (boundThumbprint(issued, binding) === boundThumbprint(token, binding)) return;
  if (authorization) throw new ServerError(NOT_SAVED);
  const reason = 'retry presents another key or certificate than the first request';
  throw new InvalidGrantError('Invalid grant: the refresh token was used with another key').because({ reason });
}

const NOT_SAVED =
  'Server error: the model did not save `cnf`, the key that a token is bound to: it must save `cnf` and return it';

/**
 * Whether a request presents every key and certificate that a stored code or token is bound to. `true` if it is not
 * bound.
 * @param presented The `cnf` of the request, from `tokenMembers`.
 */
export function matchesConfirmation(cnf: unknown, presented: unknown): boolean {
  if (cnf === undefined || cnf === null) return true;
  const [required, presentedMembers] = [Object.entries(cnf), Object.entries(presented ?? {})];
  return (
    required.length > 0 && required.every((one) => presentedMembers.some((other) => isDeepStrictEqual(one, other)))
  );
}
