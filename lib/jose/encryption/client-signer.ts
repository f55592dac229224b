import type { Capabilities } from '../../contracts/capability.js';
import { isString } from '../../clients/registration/metadata-members.js';
import { type ClientField, clientField } from '../../contracts/client-field.js';
import type { CoreClient } from '../../model/model.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { findKeys, canSignWith } from '../keys/find-keys.js';
import { signingKeyOf } from '../keys/key-ring.js';
import { type EncryptableResponse, encryptionFields, encryptionFor } from './find-encryption.js';

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
} as const satisfies Record<EncryptableResponse, ClientField<string, string>>;

/** Returns the client fields for the signature and the encryption of a response. */
export function responseFields(
  response: EncryptableResponse,
): readonly ClientField<string, string, Pick<Capabilities, 'find'>>[] {
  const signed: ClientField<string, string> = SIGNED_RESPONSE_ALG[response];
  return [signed.restrict(canSignWith), ...encryptionFields(response)];
}

/**
 * Finds all that an answer is signed and encrypted with, so that what cannot be answered fails before anything is spent for it.
 * @param defaultAlg what signs for a client that has registered nothing else; undefined: what `keys()` signs by first
 * @throws ServerError where no key signs by that, or as `encryptionFor()` does
 */
export async function signerFor(
  client: CoreClient,
  response: EncryptableResponse,
  server: Pick<Capabilities, 'find'>,
  defaultAlg: SigningAlgorithm | undefined,
): Promise<ClientSigner> {
  const encrypt = await encryptionFor(client, response, server);
  const alg = (SIGNED_RESPONSE_ALG[response].of(client) ?? defaultAlg) as SigningAlgorithm | undefined;
  const key = await signingKeyOf(findKeys(server)!, alg);
  return {
    alg: key.alg,
    async sign(header, claims) {
      const signed = await key.sign(header, claims);
      return encrypt ? await encrypt(signed, 'JWT') : signed;
    },
  };
}
