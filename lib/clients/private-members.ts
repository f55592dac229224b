/** The JWK members of private and symmetric keys. RFC 7518 §6, RFC 8037 §2, RFC 9964 */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** Whether a JWK contains members of a private or symmetric key. */
export const hasPrivateMember = (jwk: object): boolean => PRIVATE.some((name) => Object.hasOwn(jwk, name));
