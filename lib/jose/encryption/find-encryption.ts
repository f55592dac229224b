import { ServerError } from '../../errors/index.js';
import { type Capabilities, capability } from '../../contracts/capability.js';
import { isString } from '../../clients/registration/metadata-members.js';
import { type ClientField, clientField } from '../../contracts/client-field.js';
import type { CoreClient } from '../../model/model.js';

/** The kinds of responses that can be encrypted, as client metadata names them. */
export const ENCRYPTABLE_RESPONSES = ['id_token', 'userinfo', 'authorization', 'introspection'] as const;
export type EncryptableResponse = (typeof ENCRYPTABLE_RESPONSES)[number];

/**
 * A function that encrypts a text to a client. `content` says whether the text is a signed JWT or the claims as JSON.
 * RFC 7516 §3.1, RFC 7519 §5.2
 */
export type Encrypt = (text: string, content: 'JWT' | 'claims') => Promise<string>;

/** The encryption algorithms that a client has registered for one kind of response. */
export interface RegisteredEncryption {
  alg: unknown;
  /** The registered content encryption. `undefined` if the client has registered none. */
  enc: unknown;
}

/** The interface through which features that sign responses also encrypt them. `encryption()` implements it. */
export interface ClientEncryption {
  readonly algorithms: readonly string[];
  readonly contentEncryption: readonly string[];
  /**
   * Finds the key of a client and returns a function that encrypts to it. Everything that can fail is done before the
   * promise resolves.
   * @throws {OAuthError} If the client has no suitable key, or its keys cannot be fetched.
   */
  encryptTo(client: CoreClient, registered: RegisteredEncryption): Promise<Encrypt>;
}

/** The capability key under which `encryption()` provides the encryption of responses. */
export const ENCRYPTION = capability<ClientEncryption>('encryption', 'encryption');

/** Returns the encryption of a server, or `undefined` if `encryption()` is not one of its features. */
export const findEncryption = (server: Pick<Capabilities, 'find'>): ClientEncryption | undefined =>
  server.find(ENCRYPTION);

/**
 * The client fields for the encryption of each kind of response. OpenID Connect Registration §2, JARM §3, RFC 9701 §6
 */
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
 * Returns the function that encrypts one kind of response to a client. Returns `undefined` if the client has not
 * registered encryption: only then may the response be sent unencrypted.
 * @throws {ServerError} If the client's registered encryption is not possible.
 * @throws {TemporarilyUnavailableError} If the keys of the client cannot be fetched now.
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
    throw new ServerError(
      'Server error: the client has registered encrypted responses, but `encryption()` is not among the `features`',
    );
  return await encryption.encryptTo(client, { alg, enc: fields.enc.of(client) });
}

/**
 * Returns the client fields for the encryption of one kind of response. Their validators accept the algorithms that
 * `encryption()` allows.
 */
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

const isAmong = (allowed: readonly string[] | undefined, value: unknown) =>
  allowed?.some((one) => one === value) === true;

/**
 * Returns the server metadata about the encryption of one kind of response. OpenID Connect Discovery §3, JARM §4,
 * RFC 9701 §7
 */
export function encryptionMetadata(response: EncryptableResponse, server: Pick<Capabilities, 'find'>): object {
  const encryption = findEncryption(server);
  return {
    [`${response}_encryption_alg_values_supported`]: encryption?.algorithms,
    [`${response}_encryption_enc_values_supported`]: encryption?.contentEncryption,
  };
}
