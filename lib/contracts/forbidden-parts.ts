/**
 * Functions that return whether a profile forbids a grant type, response type, client authentication method or
 * algorithm, whichever feature adds it. Each may be called several times with the same name.
 */
export interface ForbiddenParts {
  /** Whether a `grant_type` is forbidden. */
  grants?(name: string): boolean;
  /** Whether a `response_type` is forbidden. */
  responseTypes?(name: string): boolean;
  /** Whether a client authentication method (`token_endpoint_auth_method`) is forbidden. */
  clientAuthentications?(name: string): boolean;
  /** Whether a signature algorithm (`alg`) is forbidden. RFC 7518 §3.1 */
  algorithms?(name: string): boolean;
}

/** Whether one of the features forbids this grant type, response type, client authentication method or algorithm. */
export const isForbidden = (
  features: readonly WithForbiddenParts[],
  part: keyof ForbiddenParts,
  name: string,
): boolean => findForbiddingFeature(features, part, name) !== undefined;

/**
 * Returns the first feature that forbids this grant type, response type, client authentication method or algorithm.
 * `undefined` if no feature does.
 */
export const findForbiddingFeature = <F extends WithForbiddenParts>(
  features: readonly F[],
  part: keyof ForbiddenParts,
  name: string,
): F | undefined => features.find(({ forbids }) => forbids?.[part]?.(name));

interface WithForbiddenParts {
  readonly forbids?: ForbiddenParts;
}
