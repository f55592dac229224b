/** What tokens may be signed with: keys of which the public half is told, and nothing weak. RFC 7518 §3.1, RFC 8037, RFC 9864 */
export type SigningAlgorithm = 'ES256' | 'PS256' | 'RS256' | 'Ed25519' | 'EdDSA';

/** All of them, the one that is made for a server first. */
export const ALGORITHMS: readonly SigningAlgorithm[] = ['ES256', 'PS256', 'RS256', 'Ed25519', 'EdDSA'];

/** Does a host list algorithms of these, and one at least? */
export const areAlgorithms = (given: unknown): given is readonly SigningAlgorithm[] =>
  Array.isArray(given) && given.length > 0 && given.every((one: SigningAlgorithm) => ALGORITHMS.includes(one));
