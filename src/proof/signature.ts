import type { JSONWebKeySet } from 'jose';
import type { findKeys } from '../../lib/internal.js';
import { CommandError } from '../cli/command.js';
import { digestOf, type Proof } from './proof.js';

/** The `typ` of the signature. No token has it, so that neither can be used as the other. RFC 8725 §3.11 */
const TYPE = 'nest-oauth2-proof+jws';

/** Signs both parts of a proof with the current key of the server. Returns `null` if the server has no keys. */
export async function sign(proof: Omit<Proof, 'signature'>, keys: ReturnType<typeof findKeys>): Promise<string | null> {
  const key = await keys?.current();
  return key ? key.sign({ typ: TYPE }, claimsOf(proof)) : null;
}

/** The signed claims. Without `aud` and `sub`, they are no token for anybody. */
const claimsOf = ({ format, verdicts, details }: Omit<Proof, 'signature'>) => ({
  format,
  verdicts: digestOf(verdicts),
  details: digestOf(details),
});

/**
 * Verifies the digest and the signature of a proof.
 * @param keys The public keys of the server. RFC 7517 §5
 * @returns The `kid` of the key that signed.
 * @throws {CommandError} If the proof is unsigned, was changed, or was signed by another key.
 */
export async function verifySignature(proof: Proof, keys: JSONWebKeySet): Promise<string | undefined> {
  if (proof.digest !== digestOf(proof.verdicts)) throw changed('the digest differs from the verdicts');
  if (!proof.signature) throw changed('it has no signature, because the server had no keys');
  // Loaded here, because an application without `keys()` makes proofs without `jose`.
  const { compactVerify, createLocalJWKSet } = await import('jose');
  const { payload, protectedHeader } = await compactVerify(proof.signature, createLocalJWKSet(keys)).catch(() => {
    throw changed('no key of the key set verifies the signature');
  });
  if (protectedHeader['typ'] !== TYPE) throw changed('the signature belongs to something else');
  const isSame = Buffer.from(payload).toString() === JSON.stringify(claimsOf(proof));
  if (!isSame) throw changed('it was changed after it was signed');
  return protectedHeader.kid;
}

const changed = (reason: string) => new CommandError(`The report is not authentic: ${reason}`);
