/** The thumbprint of the key that something is bound to; undefined: it is bound to none. RFC 7800 §3, RFC 9449 §6.1 */
export function jktOf(bound: object | undefined): string | undefined {
  const { cnf } = (bound ?? {}) as { cnf?: { jkt?: unknown } | null };
  return typeof cnf?.jkt === 'string' ? cnf.jkt : undefined;
}

/**
 * Is somebody there who verifies whatever a token is bound to? A token that nobody can verify is not one for everybody.
 * @param confirms the members of `cnf` that are verified
 */
export function isConfirmed(cnf: unknown, confirms: ReadonlySet<string>): boolean {
  if (cnf === undefined || cnf === null) return true;
  const names = typeof cnf === 'object' ? Object.keys(cnf) : [];
  return names.length > 0 && names.every((name) => confirms.has(name));
}
