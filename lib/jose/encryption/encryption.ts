import { CompactEncrypt } from 'jose';
import { InvalidClientMetadataError, ServerError } from '../../errors/index.js';
import type { Feature } from '../../contracts/feature.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import { assertFetchOptions, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { CoreClient } from '../../model/model.js';
import { assertConfig } from '../../errors/configuration-error.js';
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

/** What `encryption()` takes. */
export interface EncryptionOptions {
  /** How keys travel. Default: all of ECDH-ES, ECDH-ES+A128KW, ECDH-ES+A256KW and RSA-OAEP-256 */
  algorithms?: readonly KeyManagementAlgorithm[];
  /** What answers are encrypted by. Default: all of A128CBC-HS256, A256CBC-HS512, A128GCM and A256GCM */
  contentEncryption?: readonly ContentEncryption[];
  /** How the keys at the `jwks_uri` of a client are fetched. Default: public addresses alone */
  fetch?: SafeFetchOptions;
}

const FEATURE = '`encryption()`';

/**
 * What is signed for a client is encrypted to it too, if it has registered that: ID tokens and userinfo of `openid()`, answers of
 * `jarm()` and `signedIntrospection()`. Its keys are its `jwks` or at its `jwks_uri`. RFC 7516, RFC 7519 §11.2
 * @throws InvalidArgumentError with a sentence for an option that cannot work
 */
export function encryption(options: EncryptionOptions = {}): Feature {
  assertKnownOptions(options, NAMES, FEATURE);
  assertFetchOptions(options.fetch);
  const { algorithms = KEY_MANAGEMENT_ALGORITHMS, contentEncryption = CONTENT_ENCRYPTION_ALGORITHMS } = options;
  assertConfig(
    isListOf(algorithms, KEY_MANAGEMENT_ALGORITHMS),
    `${FEATURE} takes as \`algorithms\` a list of ${KEY_MANAGEMENT_ALGORITHMS.join(', ')}`,
  );
  const isContent = isListOf(contentEncryption, CONTENT_ENCRYPTION_ALGORITHMS);
  assertConfig(
    isContent,
    `${FEATURE} takes as \`contentEncryption\` a list of ${CONTENT_ENCRYPTION_ALGORITHMS.join(', ')}`,
  );
  const keys = new ClientKeys(options.fetch);

  const encryptTo: ClientEncryption['encryptTo'] = async (client, { alg, enc = DEFAULT_CONTENT_ENCRYPTION }) => {
    if (!isAmong(alg, algorithms) || !isAmong(enc, contentEncryption)) {
      throw new ServerError(`Server error: a client is registered for encryption that ${FEATURE} does not do`);
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

/** @throws {InvalidClientMetadataError} If a registered encryption could never be done. OpenID Connect Registration §2 */
async function verifyRegistration(metadata: ClientMetadata, served: readonly ContentEncryption[]): Promise<void> {
  for (const answer of ENCRYPTABLE_RESPONSES) {
    const alg = metadata[`${answer}_encrypted_response_alg` as const];
    const enc = metadata[`${answer}_encrypted_response_enc` as const];
    const isRegistered = alg !== undefined || enc !== undefined;
    if (isRegistered) await verifyRegisteredEncryption(answer, metadata, { alg, enc }, served);
  }
}

/** @throws InvalidClientMetadataError for a client that could never be answered. OpenID Connect Registration §2 */
async function verifyRegisteredEncryption(
  answer: string,
  { jwks, jwks_uri: uri }: ClientMetadata,
  { alg, enc = DEFAULT_CONTENT_ENCRYPTION }: RegisteredEncryption,
  served: readonly ContentEncryption[],
): Promise<void> {
  const member = `${answer}_encrypted_response`;
  if (alg === undefined) throw invalidMetadata(`\`${member}_enc\` is nothing without \`${member}_alg\``);
  if (!isAmong(enc, served))
    throw invalidMetadata(`\`${member}_enc\` is one of ${served.join(', ')}, and has to be said`);
  // What is to be found at an address may come to be there later.
  if (uri !== undefined) return;
  const keys = readKeySet(jwks);
  if (keys && (await recipientKey(keys, alg as KeyManagementAlgorithm))) return;
  throw invalidMetadata(`\`${member}_alg\` needs a key to encrypt to, in \`jwks\` or at \`jwks_uri\``);
}

const invalidMetadata = (what: string) => new InvalidClientMetadataError(`Invalid client metadata: ${what}`);

/**
 * That its keys cannot be had now is the fault of the moment. That there is none is no fault of the request, which is as it should be,
 * nor does it say anything of who the client is: `invalid_client` and 401 would. RFC 6749 §4.1.2.1, §5.2
 */
async function findRecipientKey(
  client: CoreClient,
  alg: KeyManagementAlgorithm,
  known: ClientKeys,
): Promise<RecipientKey> {
  try {
    const found = await known.of(client)?.select((keys) => recipientKey(keys, alg));
    if (found) return found;
  } catch (error) {
    throw fetchFailure(error, 'The keys of a client', (given) =>
      noKeyError(alg).because({ reason: 'the keys of the client can be fetched', given }),
    );
  }
  throw noKeyError(alg);
}

const noKeyError = (alg: string) =>
  new ServerError(`Server error: the client has no key that can be encrypted to by ${alg}`);

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

const isAmong = <T>(value: unknown, known: readonly T[]): value is T => known.some((one) => one === value);
const isListOf = (given: unknown, known: readonly string[]) =>
  Array.isArray(given) && given.length > 0 && given.every((one) => isAmong(one, known));

const NAMES = { algorithms: true, contentEncryption: true, fetch: true } as const;
