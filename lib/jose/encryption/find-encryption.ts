import { ServerError } from '../../errors/index.js';
import { type Capabilities, capability } from '../../contracts/capability.js';
import type { Installed } from '../../contracts/feature.js';
import { registered } from '../../clients/registration/registered.js';
import type { Client } from '../../model/model.js';

/** What of a server's answers may be encrypted, as the metadata call it. */
export const ENCRYPTED = ['id_token', 'userinfo', 'authorization', 'introspection'] as const;
export type EncryptedAnswer = (typeof ENCRYPTED)[number];

/** Encrypts to a client. What is nested in it is a JWT, or else the claims themselves. RFC 7516 §3.1, RFC 7519 §5.2 */
export type Encrypt = (text: string, content: 'JWT' | 'claims') => Promise<string>;

/** What of a client is registered. */
export interface WantedEncryption {
  alg: unknown;
  /** Undefined: the client does not say. */
  enc: unknown;
}

/** Encrypts responses to clients, for the features that sign these. */
export interface ClientEncryption {
  readonly algorithms: readonly string[];
  readonly contentEncryption: readonly string[];
  /** All that can fail is done by then. @throws OAuthError where there is no key to encrypt to */
  encryptTo(client: Client, wanted: WantedEncryption): Promise<Encrypt>;
}

/** The key for the encryption of responses, which `encryption()` provides. */
export const ENCRYPTION = capability<ClientEncryption>('encryption', 'encryption');

/** Returns the encryption of a server. `undefined` if `encryption()` is not among its features. */
export const findEncryption = (server: Pick<Capabilities, 'find'>): ClientEncryption | undefined =>
  server.find(ENCRYPTION);

/** As what a client is registered with it. */
const REGISTERED = {
  id_token: ['idTokenEncryptedResponseAlg', 'idTokenEncryptedResponseEnc'],
  userinfo: ['userinfoEncryptedResponseAlg', 'userinfoEncryptedResponseEnc'],
  authorization: ['authorizationEncryptedResponseAlg', 'authorizationEncryptedResponseEnc'],
  introspection: ['introspectionEncryptedResponseAlg', 'introspectionEncryptedResponseEnc'],
} as const satisfies Record<EncryptedAnswer, readonly (keyof Client)[]>;

/**
 * How an answer is encrypted to a client that has registered it; undefined: it has not. An answer that should be encrypted is never
 * sent otherwise.
 * @throws ServerError for a client that cannot be served so, TemporarilyUnavailableError while its keys cannot be fetched
 */
export async function encryptionFor(
  client: Client,
  answer: EncryptedAnswer,
  server: Pick<Capabilities, 'find'>,
): Promise<Encrypt | undefined> {
  const [algMember, encMember] = REGISTERED[answer];
  const alg = registered(client, algMember);
  if (alg === undefined) return undefined;
  const encryption = findEncryption(server);
  if (!encryption)
    throw new ServerError('Server error: a client is registered for encryption, and `encryption()` is not listed');
  return await encryption.encryptTo(client, { alg, enc: registered(client, encMember) });
}

/** The members of its metadata by which a client registers it. OpenID Connect Registration §2, JARM §3, RFC 9701 §6 */
export function encryptionMembers(answer: EncryptedAnswer): NonNullable<Installed['clientMembers']> {
  return {
    [`${answer}_encrypted_response_alg`]: (alg, server) => isAmong(findEncryption(server)?.algorithms, alg),
    [`${answer}_encrypted_response_enc`]: (enc, server) => isAmong(findEncryption(server)?.contentEncryption, enc),
  };
}

const isAmong = (known: readonly string[] | undefined, value: unknown) => known?.some((one) => one === value) === true;

/** What the metadata of the server say of it. OpenID Connect Discovery §3, JARM §4, RFC 9701 §7 */
export function encryptionMetadata(answer: EncryptedAnswer, server: Pick<Capabilities, 'find'>): object {
  const encryption = findEncryption(server);
  return {
    [`${answer}_encryption_alg_values_supported`]: encryption?.algorithms,
    [`${answer}_encryption_enc_values_supported`]: encryption?.contentEncryption,
  };
}
