import type { Capabilities } from '../../contracts/capability.js';
import { isString } from '../../clients/registration/metadata-members.js';
import { type ClientField, clientField } from '../../contracts/client-field.js';
import type { CoreClient } from '../../model/model.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { findKeys, isSignedBy } from '../keys/find-keys.js';
import { signingKeyOf } from '../keys/key-ring.js';
import { type EncryptedAnswer, encryptionFields, encryptionFor } from './find-encryption.js';

/** Makes JWTs for one client. */
export interface ClientSigner {
  /** What they are signed by. */
  readonly alg: SigningAlgorithm;
  /** Signs first and encrypts then, if the client has registered that: nobody else sees who has signed. RFC 7519 §11.2 */
  sign(header: { typ: string }, claims: object): Promise<string>;
}

/** The client fields for the signature of responses. OpenID Connect Registration §2, JARM §3, RFC 9701 §6 */
export const SIGNED_RESPONSE_ALG = {
  id_token: clientField('id_token_signed_response_alg', isString),
  userinfo: clientField('userinfo_signed_response_alg', isString),
  authorization: clientField('authorization_signed_response_alg', isString),
  introspection: clientField('introspection_signed_response_alg', isString),
} as const satisfies Record<EncryptedAnswer, ClientField<string, string>>;

/** Returns the client fields for the signature and the encryption of a response. */
export function responseFields(
  answer: EncryptedAnswer,
): readonly ClientField<string, string, Pick<Capabilities, 'find'>>[] {
  const signed: ClientField<string, string> = SIGNED_RESPONSE_ALG[answer];
  return [signed.restrict(isSignedBy), ...encryptionFields(answer)];
}

/**
 * Finds all that an answer is signed and encrypted with, so that what cannot be answered fails before anything is spent for it.
 * @param usual what signs for a client that has registered nothing else; undefined: what `keys()` signs by first
 * @throws ServerError where no key signs by that, or as `encryptionFor()` does
 */
export async function signerFor(
  client: CoreClient,
  answer: EncryptedAnswer,
  server: Pick<Capabilities, 'find'>,
  usual: SigningAlgorithm | undefined,
): Promise<ClientSigner> {
  const encrypt = await encryptionFor(client, answer, server);
  const alg = (SIGNED_RESPONSE_ALG[answer].of(client) ?? usual) as SigningAlgorithm | undefined;
  const key = await signingKeyOf(findKeys(server)!, alg);
  return {
    alg: key.alg,
    async sign(header, claims) {
      const signed = await key.sign(header, claims);
      return encrypt ? await encrypt(signed, 'JWT') : signed;
    },
  };
}
