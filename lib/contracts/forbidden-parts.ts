/** What a profile does not let stand of other features, whoever lists them: each asked once for each name. */
export interface ForbiddenParts {
  /** By `grant_type`. */
  grants?(name: string): boolean;
  /** By `response_type`. */
  responseTypes?(name: string): boolean;
  /** By `token_endpoint_auth_method`. */
  clientAuthentications?(name: string): boolean;
  /** By `alg`: what is signed so. RFC 7518 §3.1 */
  algorithms?(name: string): boolean;
}

/** Does one of these features forbid this? */
export const isForbidden = (features: readonly Bearer[], part: keyof ForbiddenParts, name: string): boolean =>
  findForbiddingFeature(features, part, name) !== undefined;

/** Which of them does? */
export const findForbiddingFeature = <F extends Bearer>(
  features: readonly F[],
  part: keyof ForbiddenParts,
  name: string,
): F | undefined => features.find(({ forbids }) => forbids?.[part]?.(name));

interface Bearer {
  readonly forbids?: ForbiddenParts;
}
