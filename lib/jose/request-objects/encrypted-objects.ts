import { InvalidClientMetadataError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { REQUEST_OBJECT_ENCRYPTION_ALG } from './client-fields.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import type { CoreClient } from '../../model/model.js';
import { isObject } from '../../http/is-object.js';
import { assertConfig } from '../../errors/configuration-error.js';
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

/** What `encrypted` of `requestObjects()` takes. */
export interface EncryptedObjectOptions {
  /** How their keys travel. Default: as there are keys for, of those that are given to `keys()`; ECDH-ES of those in a store */
  algorithms?: readonly KeyManagementAlgorithm[];
  /** What they are encrypted by. Default: all of A128CBC-HS256, A256CBC-HS512, A128GCM and A256GCM */
  contentEncryption?: readonly ContentEncryption[];
  /** May clients encrypt that have not registered how? Anybody can name a client and let the server compute. Default: false */
  unregistered?: boolean;
}

/** The same, settled and checked. */
export interface EncryptedObjectSettings {
  algorithms: readonly KeyManagementAlgorithm[] | undefined;
  contentEncryption: readonly ContentEncryption[];
  unregistered: boolean;
}

const OPTION = '`encrypted` of `requestObjects()`';

/** @throws InvalidArgumentError with a sentence for what cannot work */
export function settleEncrypted(given: boolean | EncryptedObjectOptions): EncryptedObjectSettings | undefined {
  if (given === false) return undefined;
  const options: EncryptedObjectOptions = given === true ? {} : given;
  const isOptions: boolean = isObject(options);
  assertConfig(isOptions, `${OPTION} is \`true\`, \`false\` or an object of options`);
  assertKnownOptions(options, NAMES, OPTION);
  const { algorithms, contentEncryption = CONTENT_ENCRYPTION_ALGORITHMS, unregistered = false } = options;
  const isAlgorithms = algorithms === undefined || isListOf(algorithms, KEY_MANAGEMENT_ALGORITHMS);
  assertConfig(isAlgorithms, `${OPTION} takes as \`algorithms\` a list of ${KEY_MANAGEMENT_ALGORITHMS.join(', ')}`);
  const isContent = isListOf(contentEncryption, CONTENT_ENCRYPTION_ALGORITHMS);
  assertConfig(
    isContent,
    `${OPTION} takes as \`contentEncryption\` a list of ${CONTENT_ENCRYPTION_ALGORITHMS.join(', ')}`,
  );
  assertConfig(typeof unregistered === 'boolean', `${OPTION} takes as \`unregistered\` true or false`);
  return { algorithms, contentEncryption, unregistered };
}

const NAMES = { algorithms: true, contentEncryption: true, unregistered: true } as const;

const isListOf = (given: unknown, known: readonly string[]) =>
  Array.isArray(given) && given.length > 0 && given.every((one) => known.some((other) => other === one));

/** By what they may be encrypted to a server. */
export const acceptedKeyAlgorithms = (server: ServerContext, { algorithms }: EncryptedObjectSettings) =>
  algorithms ?? findKeys(server)!.decryptionAlgorithms();

/**
 * What is signed in a request object: within what is encrypted to the server, or itself. Who registers an algorithm says that it may
 * encrypt, and may use another one or none (OpenID Connect Registration §2); of a client that has not, nothing is decrypted, unless the
 * host says so. RFC 9101 §6.1
 * @throws InvalidRequestObjectError
 */
export async function decryptIfEncrypted(
  object: string,
  client: CoreClient,
  { server, settings }: { server: ServerContext; settings: EncryptedObjectSettings | undefined },
): Promise<string> {
  if (!isEncrypted(object)) return object;
  if (!settings) throw invalidRequestObject('it is not encrypted: `requestObjects()` says nothing of `encrypted`');
  const mayEncrypt = settings.unregistered || REQUEST_OBJECT_ENCRYPTION_ALG.of(client) !== undefined;
  if (!mayEncrypt) throw invalidRequestObject('its client has registered that it encrypts');
  const { contentEncryption } = settings;
  const algorithms = acceptedKeyAlgorithms(server, settings);
  const signed = await decryptNested(findKeys(server)!, object, { algorithms, contentEncryption });
  if (signed === undefined) throw invalidRequestObject('it can be decrypted by a key of this server');
  return signed;
}

/** @throws InvalidClientMetadataError for a client that could never be read. OpenID Connect Registration §2 */
export function verifyRegistration(metadata: ClientMetadata, { contentEncryption }: EncryptedObjectSettings): void {
  const { request_object_encryption_alg: alg, request_object_encryption_enc: enc = DEFAULT_CONTENT_ENCRYPTION } =
    metadata;
  if (alg === undefined && metadata.request_object_encryption_enc !== undefined) {
    throw invalidMetadata('`request_object_encryption_enc` is nothing without `request_object_encryption_alg`');
  }
  if (alg === undefined || contentEncryption.some((one) => one === enc)) return;
  throw invalidMetadata(
    `\`request_object_encryption_enc\` is one of ${contentEncryption.join(', ')}, and has to be said`,
  );
}

const invalidMetadata = (what: string) => new InvalidClientMetadataError(`Invalid client metadata: ${what}`);
