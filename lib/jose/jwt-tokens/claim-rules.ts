import type { JWTPayload } from 'jose';

/** The location of a claim: its name, or the path to a nested claim, such as `['realm_access', 'roles']`. */
export type ClaimPath = string | readonly string[];

/** Returns the value of the claim at a path, or `undefined` if the token does not contain it. */
export function claimAt(claims: JWTPayload, path: ClaimPath): unknown {
  let value: unknown = claims;
  for (const name of typeof path === 'string' ? [path] : path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Returns the first of these claims that is a non-empty string, or `undefined` if none is. */
export function firstText(claims: JWTPayload, paths: readonly ClaimPath[]): string | undefined {
  return paths.map((path) => claimAt(claims, path)).find((value) => typeof value === 'string' && value !== '') as
    string | undefined;
}

/**
 * Returns the distinct values of claims that contain a list of strings, or one string with values separated by spaces.
 * Claims of another type are ignored, so that a malformed claim grants nothing.
 */
export function valuesAt(claims: JWTPayload, paths: readonly ClaimPath[]): readonly string[] {
  const values = paths.flatMap((path) => {
    const value = claimAt(claims, path);
    return typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? (value as unknown[]) : [];
  });
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))];
}
