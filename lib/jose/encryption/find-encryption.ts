import { ServerError } from '../../errors/index.js';
import { type Capabilities, capability } from '../../contracts/capability.js';
import { isString } from '../../clients/registration/metadata-members.js';
import { type ClientField, clientField } from '../../contracts/client-field.js';
import type { CoreClient } from '../../model/model.js';

/** What of a server's answers may be encrypted, as the metadata call it. */
export const ENCRYPTABLE_RESPONSES = ['id_token', 'userinfo', 'authorization', 'introspection'] as const;
export type EncryptableResponse = (typeof ENCRYPTABLE_RESPONSES)[number];

/** Encrypts to a client. What is nested in it is a JWT, or else the claims themselves. RFC 7516 §3.1, RFC 7519 §5.2 */
export type Encrypt = (text: string, content: 'JWT' | 'claims') => Promise<string>;

/** What of a client is registered. */
export interface RegisteredEncryption {
  alg: unknown;
  /** Undefined: the client does not say. */
  enc: unknown;
}

/** Encrypts responses to clients, for the features that sign these. */
export interface ClientEncryption {
  readonly algorithms: readonly string[];
  readonly contentEncryption: readonly string[];
  /** All that can fail is done by then. @throws OAuthError where there is no key to encrypt to */
  encryptTo(client: CoreClient, registered: RegisteredEncryption): Promise<Encrypt>;
}

/** The key for the encryption of responses, which `encryption()` provides. */
export const ENCRYPTION = capability<ClientEncryption>('encryption', 'encryption');

/** Returns the encryption of a server. `undefined` if `encryption()` is not among its features. */
export const findEncryption = (server: Pick<Capabilities, 'find'>): ClientEncryption | undefined =>
  server.find(ENCRYPTION);

/** The client fields for the encryption of responses. OpenID Connect Registration §2, JARM §3, RFC 9701 §6 */
export const ENCRYPTED_RESPONSE = {
  id_token: {
    alg: clientField('id_token_encrypted_response_alg', isString),
    enc: clientField('id_token_encrypted_response_enc', isString),
  },
  userinfo: {
    alg: clientField('userinfo_encrypted_response_alg', isString),
    enc: clientField('userinfo_encrypted_response_enc', isString),
  },
  authorization: {
    alg: clientField('authorization_encrypted_response_alg', isString),
    enc: clientField('authorization_encrypted_response_enc', isString),
  },
  introspection: {
    alg: clientField('introspection_encrypted_response_alg', isString),
    enc: clientField('introspection_encrypted_response_enc', isString),
  },
} as const satisfies Record<EncryptableResponse, EncryptionFields>;

interface EncryptionFields {
  readonly alg: ClientField<string, string>;
  readonly enc: ClientField<string, string>;
}

/**
 * How an answer is encrypted to a client that has registered it; undefined: it has not. An answer that should be encrypted is never
 * sent otherwise.
 * @throws ServerError for a client that cannot be served so, TemporarilyUnavailableError while its keys cannot be fetched
 */
export async function encryptionFor(
  client: CoreClient,
  response: EncryptableResponse,
  server: Pick<Capabilities, 'find'>,
): Promise<Encrypt | undefined> {
  const fields = ENCRYPTED_RESPONSE[response];
  const alg = fields.alg.of(client);
  if (alg === undefined) return undefined;
  const encryption = findEncryption(server);
  if (!encryption)
    throw new ServerError('Server error: a client is registered for encryption, and `encryption()` is not listed');
  return await encryption.encryptTo(client, { alg, enc: fields.enc.of(client) });
}

/** Returns the client fields for the encryption of a response, with validators that accept what `encryption()` supports. */
export function encryptionFields(
  response: EncryptableResponse,
): readonly ClientField<string, string, Pick<Capabilities, 'find'>>[] {
  const { alg, enc }: EncryptionFields = ENCRYPTED_RESPONSE[response];
  return [
    alg.restrict((value, server: Pick<Capabilities, 'find'>) => isAmong(findEncryption(server)?.algorithms, value)),
    enc.restrict((value, server: Pick<Capabilities, 'find'>) =>
      isAmong(findEncryption(server)?.contentEncryption, value),
    ),
  ];
}

const isAmong = (known: readonly string[] | undefined, value: unknown) => known?.some((one) => one === value) === true;

/** What the metadata of the server say of it. OpenID Connect Discovery §3, JARM §4, RFC 9701 §7 */
export function encryptionMetadata(response: EncryptableResponse, server: Pick<Capabilities, 'find'>): object {
  const encryption = findEncryption(server);
  return {
    [`${response}_encryption_alg_values_supported`]: encryption?.algorithms,
    [`${response}_encryption_enc_values_supported`]: encryption?.contentEncryption,
  };
}
