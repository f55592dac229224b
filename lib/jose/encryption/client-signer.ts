import type { Capabilities } from '../../contracts/capability.js';
import { registered } from '../../clients/registration/registered.js';
import type { Client } from '../../model/model.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { findKeys } from '../keys/find-keys.js';
import { signingKeyOf } from '../keys/key-ring.js';
import { type EncryptedAnswer, encryptionFor } from './find-encryption.js';

/** Makes JWTs for one client. */
export interface ClientSigner {
  /** What they are signed by. */
  readonly alg: SigningAlgorithm;
  /** Signs first and encrypts then, if the client has registered that: nobody else sees who has signed. RFC 7519 §11.2 */
  sign(header: { typ: string }, claims: object): Promise<string>;
}

/** By what a client wants its answers signed. OpenID Connect Registration §2, JARM §3, RFC 9701 §6 */
const REGISTERED = {
  id_token: 'idTokenSignedResponseAlg',
  userinfo: 'userinfoSignedResponseAlg',
  authorization: 'authorizationSignedResponseAlg',
  introspection: 'introspectionSignedResponseAlg',
} as const satisfies Record<EncryptedAnswer, keyof Client>;

/**
 * Finds all that an answer is signed and encrypted with, so that what cannot be answered fails before anything is spent for it.
 * @param usual what signs for a client that has registered nothing else; undefined: what `keys()` signs by first
 * @throws ServerError where no key signs by that, or as `encryptionFor()` does
 */
export async function signerFor(
  client: Client,
  answer: EncryptedAnswer,
  server: Pick<Capabilities, 'find'>,
  usual: SigningAlgorithm | undefined,
): Promise<ClientSigner> {
  const encrypt = await encryptionFor(client, answer, server);
  const alg = (registered(client, REGISTERED[answer]) ?? usual) as SigningAlgorithm | undefined;
  const key = await signingKeyOf(findKeys(server)!, alg);
  return {
    alg: key.alg,
    async sign(header, claims) {
      const signed = await key.sign(header, claims);
      return encrypt ? await encrypt(signed, 'JWT') : signed;
    },
  };
}
