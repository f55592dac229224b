import type { Capabilities } from '../../contracts/capability.js';
import { isString } from '../../clients/registration/metadata-members.js';
import { type ClientField, clientField } from '../../contracts/client-field.js';
import type { CoreClient } from '../../model/model.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { findKeys, canSignWith } from '../keys/find-keys.js';
import { signingKeyOf } from '../keys/key-ring.js';
import { type EncryptableResponse, encryptionFields, encryptionFor } from './find-encryption.js';

/** A signer of JWTs for one client. It also encrypts them if the client has registered encryption. */
export interface ClientSigner {
  /** The signature algorithm of the JWTs. */
  readonly alg: SigningAlgorithm;
  /**
   * Signs claims as a JWT, then encrypts the JWT if the client has registered encryption. In this order the signature
   * is encrypted too. RFC 7519 §11.2
   */
  sign(header: { typ: string }, claims: object): Promise<string>;
}

/**
 * The client fields for the signature algorithm of each kind of response. OpenID Connect Registration §2, JARM §3,
 * RFC 9701 §6
 */
export const SIGNED_RESPONSE_ALG = {
  id_token: clientField('id_token_signed_response_alg', isString),
  userinfo: clientField('userinfo_signed_response_alg', isString),
  authorization: clientField('authorization_signed_response_alg', isString),
  introspection: clientField('introspection_signed_response_alg', isString),
} as const satisfies Record<EncryptableResponse, ClientField<string, string>>;

/** Returns the client fields for the signature and the encryption of one kind of response. */
export function responseFields(
  response: EncryptableResponse,
): readonly ClientField<string, string, Pick<Capabilities, 'find'>>[] {
  const signed: ClientField<string, string> = SIGNED_RESPONSE_ALG[response];
  return [signed.restrict(canSignWith), ...encryptionFields(response)];
}

/**
 * Returns a signer for one kind of response to a client. It finds all keys in advance, so that a response that cannot
 * be created fails before a code or token is consumed.
 * @param defaultAlg The algorithm for clients that have registered none. If `undefined`, the first algorithm of
 * `keys()`.
 * @throws {ServerError} If no key supports the algorithm, or the client's registered encryption is not possible.
 * @throws {TemporarilyUnavailableError} If the keys of the client cannot be fetched now.
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
