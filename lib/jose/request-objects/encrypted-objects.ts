import { InvalidClientMetadataError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { REQUEST_OBJECT_ENCRYPTION_ALG } from './client-fields.js';
import { type OptionRows, optionTable, type SettingsOf } from '../../options/option-table.js';
import { acceptsOptions, FLAG, optionsOr, someOfTexts } from '../../options/value-checks.js';
import type { CoreClient } from '../../model/model.js';
import { decryptNested, isEncrypted } from '../decryption/nested.js';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  type ContentEncryption,
  KEY_MANAGEMENT_ALGORITHMS,
  type KeyManagementAlgorithm,
  DEFAULT_CONTENT_ENCRYPTION,
} from '../encryption/algorithms.js';
import { findKeys } from '../keys/find-keys.js';
import { invalidRequestObject } from './object-parameters.js';

/** The options of `encrypted` in `requestObjects()`. */
export interface EncryptedObjectOptions {
  /**
   * The accepted key management algorithms. If omitted: the algorithms of the decryption keys in `from` of `keys()`, or
   * `ECDH-ES` if the keys are in a store.
   */
  algorithms?: readonly KeyManagementAlgorithm[];
  /**
   * The accepted content encryption algorithms. Default: all that are supported, `A128CBC-HS256`, `A256CBC-HS512`,
   * `A128GCM` and `A256GCM`.
   */
  contentEncryption?: readonly ContentEncryption[];
  /**
   * Whether clients may encrypt request objects without having registered encryption. If `true`, anyone who knows a
   * client ID can make the server perform decryption. Default: `false`.
   */
  unregistered?: boolean;
}

const OPTIONS = optionTable('`encrypted` of `requestObjects()`', {
  algorithms: { check: someOfTexts(KEY_MANAGEMENT_ALGORITHMS) },
  contentEncryption: {
    check: someOfTexts(CONTENT_ENCRYPTION_ALGORITHMS),
    default: CONTENT_ENCRYPTION_ALGORITHMS,
  },
  unregistered: { check: FLAG, default: false },
} satisfies OptionRows<EncryptedObjectOptions>);

/** The options of `encrypted` in `requestObjects()`, validated and with their defaults. */
export type EncryptedObjectSettings = SettingsOf<EncryptedObjectOptions, typeof OPTIONS>;

/** Accepts the option `encrypted` of `requestObjects()`. */
export const ENCRYPTED = optionsOr<EncryptedObjectOptions, boolean>(acceptsOptions(OPTIONS), true, false);

/**
 * Returns the options for encrypted request objects with their defaults. `undefined` if they are `false`: encrypted
 * request objects are rejected.
 */
export const settleEncrypted = (given: boolean | EncryptedObjectOptions): EncryptedObjectSettings | undefined =>
  given === false ? undefined : OPTIONS.settle(given === true ? {} : given);

/** Returns the key management algorithms with which clients may encrypt request objects to a server. */
export const acceptedKeyAlgorithms = (server: ServerContext, { algorithms }: EncryptedObjectSettings) =>
  algorithms ?? findKeys(server)!.decryptionAlgorithms();

/**
 * Returns the signed JWT of a request object, decrypted if it is encrypted. A client that has registered an encryption
 * algorithm may also use another one, or none (OpenID Connect Registration §2). Other clients may encrypt only if
 * `unregistered` is set. RFC 9101 §6.1
 * @throws {InvalidRequestObjectError} If encryption is not accepted, or decryption fails.
 */
export async function decryptIfEncrypted(
  object: string,
  client: CoreClient,
  { server, settings }: { server: ServerContext; settings: EncryptedObjectSettings | undefined },
): Promise<string> {
  if (!isEncrypted(object)) return object;
  if (!settings)
    throw invalidRequestObject('request object is encrypted, but `encrypted` of `requestObjects()` is not set');
  const mayEncrypt = settings.unregistered || REQUEST_OBJECT_ENCRYPTION_ALG.of(client) !== undefined;
  if (!mayEncrypt)
    throw invalidRequestObject('request object is encrypted, but the client has not registered encryption');
  const { contentEncryption } = settings;
  const algorithms = acceptedKeyAlgorithms(server, settings);
  const signed = await decryptNested(findKeys(server)!, object, { algorithms, contentEncryption });
  if (signed === undefined)
    throw invalidRequestObject('request object could not be decrypted with a key of this server');
  return signed;
}

/**
 * Verifies the encryption of request objects that a client registers. OpenID Connect Registration §2
 * @throws {InvalidClientMetadataError} If the algorithms are incomplete or not accepted.
 */
export function verifyRegistration(metadata: ClientMetadata, { contentEncryption }: EncryptedObjectSettings): void {
  const { request_object_encryption_alg: alg, request_object_encryption_enc: enc = DEFAULT_CONTENT_ENCRYPTION } =
    metadata;
  if (alg === undefined && metadata.request_object_encryption_enc !== undefined) {
    throw invalidMetadata('`request_object_encryption_enc` requires `request_object_encryption_alg`');
  }
  if (alg === undefined || contentEncryption.some((one) => one === enc)) return;
  throw invalidMetadata(`\`request_object_encryption_enc\` must be set to one of ${contentEncryption.join(', ')}`);
}

const invalidMetadata = (reason: string) => new InvalidClientMetadataError(`Invalid client metadata: ${reason}`);
