/** What a profile does not let stand of other features, whoever lists them: each asked once for each name. */
export interface Forbids {
  /** By `grant_type`. */
  grants?(name: string): boolean;
  /** By `response_type`. */
  responseTypes?(name: string): boolean;
  /** By `token_endpoint_auth_method`. */
  clientAuthentications?(name: string): boolean;
}

/** Does one of these features forbid this? */
export function isForbidden(
  features: readonly { readonly forbids?: Forbids }[],
  part: keyof Forbids,
  name: string,
): boolean {
  return features.some(({ forbids }) => forbids?.[part]?.(name));
}
