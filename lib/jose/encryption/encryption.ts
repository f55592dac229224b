import { CompactEncrypt } from 'jose';
import { InvalidClientMetadataError, ServerError } from '../../errors/index.js';
import type { Feature } from '../../contracts/feature.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { FETCH, someOfTexts } from '../../options/value-checks.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { CoreClient } from '../../model/model.js';
import { fetchFailure } from '../../remote/fetch-failure.js';
import { ClientKeys } from '../client-keys/client-keys.js';
import { readKeySet } from '../read-key-set.js';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  type ContentEncryption,
  KEY_MANAGEMENT_ALGORITHMS,
  type KeyManagementAlgorithm,
  DEFAULT_CONTENT_ENCRYPTION,
} from './algorithms.js';
import {
  type ClientEncryption,
  type Encrypt,
  ENCRYPTABLE_RESPONSES,
  ENCRYPTION,
  type RegisteredEncryption,
} from './find-encryption.js';
import { type RecipientKey, recipientKey } from './recipient-key.js';

/** The options of `encryption()`. */
export interface EncryptionOptions {
  /**
   * The allowed key management algorithms. Default: all that are supported, `ECDH-ES`, `ECDH-ES+A128KW`,
   * `ECDH-ES+A256KW` and `RSA-OAEP-256`.
   */
  algorithms?: readonly KeyManagementAlgorithm[];
  /**
   * The allowed content encryption algorithms. Default: all that are supported, `A128CBC-HS256`, `A256CBC-HS512`,
   * `A128GCM` and `A256GCM`.
   */
  contentEncryption?: readonly ContentEncryption[];
  /** How the keys at the `jwks_uri` of a client are fetched. Default: from public addresses only. */
  fetch?: SafeFetchOptions;
}

const FEATURE = '`encryption()`';
const OPTIONS = optionTable(FEATURE, {
  algorithms: { check: someOfTexts(KEY_MANAGEMENT_ALGORITHMS), default: KEY_MANAGEMENT_ALGORITHMS },
  contentEncryption: { check: someOfTexts(CONTENT_ENCRYPTION_ALGORITHMS), default: CONTENT_ENCRYPTION_ALGORITHMS },
  fetch: { check: FETCH },
} satisfies OptionRows<EncryptionOptions>);

/**
 * Encrypts responses to clients that have registered encryption: ID tokens and userinfo of `openid()`, and the
 * responses of `jarm()` and `signedIntrospection()`. The keys of a client come from its `jwks` or `jwks_uri`. RFC 7516,
 * RFC 7519 §11.2
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function encryption(options: EncryptionOptions = {}): Feature {
  const { algorithms, contentEncryption, fetch } = OPTIONS.read(options);
  const keys = new ClientKeys(fetch);

  const encryptTo: ClientEncryption['encryptTo'] = async (client, { alg, enc = DEFAULT_CONTENT_ENCRYPTION }) => {
    if (!isAmong(alg, algorithms) || !isAmong(enc, contentEncryption)) {
      throw new ServerError(
        `Server error: the options of ${FEATURE} do not allow the encryption algorithm that the client has registered`,
      );
    }
    const recipient = await findRecipientKey(client, alg, keys);
    return (text, content) => encrypt(text, { content, alg, enc, recipient });
  };

  return {
    id: 'encryption',
    specification: 'RFC 7516',

    install(builder) {
      builder.provide(ENCRYPTION, () => ({ algorithms, contentEncryption, encryptTo }));
      return { client: { verifyMetadata: (metadata) => verifyRegistration(metadata, contentEncryption) } };
    },
  };
}

/**
 * Verifies the encryption that a client registers, for every kind of response. OpenID Connect Registration §2
 * @throws {InvalidClientMetadataError} If the server could never encrypt a response as registered.
 */
async function verifyRegistration(metadata: ClientMetadata, supported: readonly ContentEncryption[]): Promise<void> {
  for (const response of ENCRYPTABLE_RESPONSES) {
    const alg = metadata[`${response}_encrypted_response_alg` as const];
    const enc = metadata[`${response}_encrypted_response_enc` as const];
    const isRegistered = alg !== undefined || enc !== undefined;
    if (isRegistered) await verifyRegisteredEncryption(response, metadata, { alg, enc }, supported);
  }
}

/**
 * Verifies the encryption that a client registers for one kind of response. OpenID Connect Registration §2
 * @throws {InvalidClientMetadataError} If the algorithms are incomplete or not allowed, or the client has no suitable
 * key in `jwks` and no `jwks_uri`.
 */
async function verifyRegisteredEncryption(
  response: string,
  { jwks, jwks_uri: uri }: ClientMetadata,
  { alg, enc = DEFAULT_CONTENT_ENCRYPTION }: RegisteredEncryption,
  supported: readonly ContentEncryption[],
): Promise<void> {
  const member = `${response}_encrypted_response`;
  if (alg === undefined) throw invalidMetadata(`\`${member}_enc\` requires \`${member}_alg\``);
  if (!isAmong(enc, supported))
    throw invalidMetadata(`\`${member}_enc\` must be set to one of ${supported.join(', ')}`);
  // Keys at a `jwks_uri` may be published later.
  if (uri !== undefined) return;
  const keys = readKeySet(jwks);
  if (keys && (await recipientKey(keys, alg as KeyManagementAlgorithm))) return;
  throw invalidMetadata(`\`${member}_alg\` requires a suitable encryption key in \`jwks\` or at \`jwks_uri\``);
}

const invalidMetadata = (reason: string) => new InvalidClientMetadataError(`Invalid client metadata: ${reason}`);

/**
 * Returns the public key of a client to which a response is encrypted. RFC 6749 §4.1.2.1, §5.2
 * @throws {TemporarilyUnavailableError} If the keys cannot be fetched now.
 * @throws {ServerError} If the client has no suitable key. `invalid_client` (401) would wrongly mean that client
 * authentication failed.
 */
async function findRecipientKey(
  client: CoreClient,
  alg: KeyManagementAlgorithm,
  clientKeys: ClientKeys,
): Promise<RecipientKey> {
  try {
    const key = await clientKeys.of(client)?.select((keys) => recipientKey(keys, alg));
    if (key) return key;
  } catch (error) {
    throw fetchFailure(error, 'The keys of a client', (given) =>
      noKeyError(alg).because({ reason: 'keys of the client could not be fetched', given }),
    );
  }
  throw noKeyError(alg);
}

const noKeyError = (alg: string) => new ServerError(`Server error: the client has no encryption key for ${alg}`);

interface Encryption {
  content: Parameters<Encrypt>[1];
  alg: KeyManagementAlgorithm;
  enc: ContentEncryption;
  recipient: RecipientKey;
}

const encrypt = (text: string, { content, alg, enc, recipient: { key, kid } }: Encryption): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg, enc, ...(kid && { kid }), ...(content === 'JWT' ? { cty: 'JWT' } : { typ: 'JWT' }) })
    .encrypt(key);

const isAmong = <T>(value: unknown, allowed: readonly T[]): value is T => allowed.some((one) => one === value);
