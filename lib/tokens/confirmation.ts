import { isDeepStrictEqual } from 'node:util';
import type { ClientRequest } from '../contracts/client-request.js';
import { InvalidGrantError, ServerError } from '../errors/index.js';

/** How a token is bound: to a key (RFC 9449 §6.1), or to a certificate (RFC 8705 §3.1). */
export type Binding = 'jkt' | 'x5t#S256';

/** The thumbprint of what something is bound to; undefined: it is not bound so. RFC 7800 §3 */
export function boundThumbprint(bound: object | undefined, binding: Binding): string | undefined {
  const { cnf } = (bound ?? {}) as { cnf?: { [B in Binding]?: unknown } | null };
  const thumbprint = cnf?.[binding];
  return typeof thumbprint === 'string' ? thumbprint : undefined;
}

/** The thumbprint of the key that something is bound to. RFC 9449 §6.1 */
export const jktOf = (bound: object | undefined): string | undefined => boundThumbprint(bound, 'jkt');

/**
 * Is somebody there who verifies whatever a token is bound to? A token that nobody can verify is not one for everybody.
 * @param supported the members of `cnf` that are verified
 */
export function isConfirmationSupported(cnf: unknown, supported: ReadonlySet<string>): boolean {
  if (cnf === undefined || cnf === null) return true;
  const names = typeof cnf === 'object' ? Object.keys(cnf) : [];
  return names.length > 0 && names.every((name) => supported.has(name));
}

/**
 * Is what is answered bound as the request has it? A client whose answer was lost has it again, and nobody else has it.
 * @throws ServerError where the model has not kept it, InvalidGrantError for another one's answer
 */
export function verifyRetryBinding(
  { authorization, tokenMembers: token }: ClientRequest,
  issued: object,
  binding: Binding,
): void {
  if (boundThumbprint(issued, binding) === boundThumbprint(token, binding)) return;
  if (authorization) throw new ServerError(NOT_SAVED);
  const reason = 'a retry is made with the key or the certificate of the first try';
  throw new InvalidGrantError('Invalid grant: the refresh token was used with another key').because({ reason });
}

const NOT_SAVED =
  'Server error: the model did not keep `cnf`, what a token is bound to: it must save, find and return it';

/**
 * Has a request shown everything that something is bound to? What is bound to nothing asks for nothing.
 * @param presented what it has, which binds what comes of it: `cnf` of `exchange.token`
 */
export function matchesConfirmation(cnf: unknown, presented: unknown): boolean {
  if (cnf === undefined || cnf === null) return true;
  const [wanted, given] = [Object.entries(cnf), Object.entries(presented ?? {})];
  return wanted.length > 0 && wanted.every((one) => given.some((other) => isDeepStrictEqual(one, other)));
}
