import type { JWK } from 'jose';
import { isObject } from '../../options/kinds.js';
import { hasPrivateMember } from '../../clients/private-members.js';

/** The members that make up a public key, by its type. RFC 7638 §3.2, RFC 8037 §2 */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
  RSA: ['e', 'n'],
};

/** Characters of a modulus of 4096 bits, and of an exponent: a larger one would keep this server busy. */
const LONGEST = 683;
const LONGEST_EXPONENT = 6;

/** The public key that a proof brings, and nothing else of what stands there; or what is wrong with it. RFC 9449 §4.2 */
export function publicKeyOf(given: unknown): JWK | string {
  if (!isObject(given)) return 'its header has the public key, `jwk`';
  if (hasPrivateMember(given)) return 'its key has no private member';
  const { kty } = given;
  const names = typeof kty === 'string' && Object.hasOwn(MEMBERS, kty) ? MEMBERS[kty]! : undefined;
  if (!names) return 'its key is one of EC, OKP or RSA';
  const isWhole = names.every((name) => {
    const value = given[name];
    const most = name === 'e' ? LONGEST_EXPONENT : LONGEST;
    return typeof value === 'string' && value.length <= most && /^[\w-]+$/.test(value);
  });
  if (!isWhole) return 'its key is whole, and has 4096 bits at most';
  return { kty: kty as string, ...Object.fromEntries(names.map((name) => [name, given[name]])) };
}
