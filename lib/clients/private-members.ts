/** What only the owner of a key may know. RFC 7518 §6, RFC 8037 §2, RFC 9964 */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** Does a key show what only its owner may know? */
export const hasPrivateMember = (jwk: object): boolean => PRIVATE.some((name) => Object.hasOwn(jwk, name));
