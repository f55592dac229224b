import type { JWTPayload } from 'jose';

/** Where a claim is: its name, or the names on the way to a nested one: `['realm_access', 'roles']`. */
export type ClaimPath = string | readonly string[];

/** Returns the value of a claim; `undefined` if the token does not have it. */
export function claimAt(claims: JWTPayload, path: ClaimPath): unknown {
  let value: unknown = claims;
  for (const name of typeof path === 'string' ? [path] : path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Returns the first text among these claims. */
export function firstText(claims: JWTPayload, paths: readonly ClaimPath[]): string | undefined {
  return paths.map((path) => claimAt(claims, path)).find((value) => typeof value === 'string' && value !== '') as
    string | undefined;
}

/**
 * Returns the values of claims that hold a list of texts, or one text with spaces between its values, each value once.
 * Claims of another type are ignored, so that a malformed claim grants nothing.
 */
export function valuesAt(claims: JWTPayload, paths: readonly ClaimPath[]): readonly string[] {
  const values = paths.flatMap((path) => {
    const value = claimAt(claims, path);
    return typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? (value as unknown[]) : [];
  });
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))];
}
