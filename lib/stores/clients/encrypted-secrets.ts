import { InvalidArgumentError } from '../../errors/index.js';
import { configurationError } from '../../errors/configuration-error.js';
import { findSecretError } from '../../contracts/secret.js';
import { TextEncryption } from '../../crypto/encrypt-text.js';
import { quickHash } from './client-secret.js';
import type { StoredClient } from '../contract/ports.js';

/** The option to store client secrets encrypted, so that the store can read them again. */
export interface EncryptedSecretsOption {
  /**
   * Encrypts the secrets of clients with `tokenEndpointAuthMethod: 'client_secret_jwt'` with this text, of at least 32
   * characters, so that `clientSecretJwt()` can read them. In a list, the first text encrypts and all texts decrypt. A
   * function is called at the first use. If omitted, the store has only hashes of secrets and rejects these clients.
   */
  encryptSecretsWith?: string | readonly string[] | (() => string | readonly string[]);
}

const MARK = '$sealed$';

/** Whether the stored form of a client secret is encrypted. Otherwise it is a hash. */
export const isEncrypted = (stored: string): boolean => /^\$sealed\$[\w-]{40,1000}$/.test(stored);

/**
 * Encrypts and decrypts the secrets of clients with `client_secret_jwt`, which sign with their secret. Secrets of other
 * clients are stored as hashes. OpenID Connect Core §9
 */
export class EncryptedSecrets {
  private readonly configured: EncryptedSecretsOption['encryptSecretsWith'];
  private made: TextEncryption | undefined;

  /**
   * @throws {InvalidArgumentError} If `encryptSecretsWith` contains a text shorter than 32 characters, or is an empty
   * list.
   */
  constructor(options: EncryptedSecretsOption = {}) {
    this.configured = options.encryptSecretsWith;
    if (typeof this.configured !== 'function') void this.seal;
  }

  get canDecrypt(): boolean {
    return this.configured !== undefined;
  }

  private get seal(): TextEncryption | undefined {
    const { configured } = this;
    if (configured === undefined || this.made) return this.made;
    const texts: unknown = typeof configured === 'function' ? configured() : configured;
    const error = findSecretError(texts, '`encryptSecretsWith`');
    if (error !== undefined) throw configurationError(error);
    return (this.made = new TextEncryption([texts as string | readonly string[]].flat(), 'nest-oauth2 client secrets'));
  }

  /**
   * Returns the text to store for a random secret. For a client with `client_secret_jwt`, it is the encrypted secret.
   * For all others, it is `$sha256$` and the SHA-256 hash.
   */
  storedRandomSecret(secret: string, client: Partial<StoredClient>): string {
    return this.encrypt(secret, client) ?? quickHash(secret);
  }

  /**
   * Returns the secrets of a client that are stored encrypted or in plain text, as plain text. Hashed secrets are
   * omitted.
   */
  read({ secret, secretHashes = [] }: Partial<StoredClient>): string[] {
    const stored = secretHashes.map((storedSecret) =>
      typeof storedSecret === 'string' ? storedSecret : storedSecret.hash,
    );
    return [...[secret ?? []].flat(), ...stored.flatMap((one) => this.decrypt(one) ?? [])];
  }

  /**
   * Decrypts a stored secret. Returns `undefined` if it is not encrypted, or was encrypted with a text that is not in
   * `encryptSecretsWith`.
   */
  decrypt(stored: string): string | undefined {
    return isEncrypted(stored) ? this.seal?.decrypt(stored.slice(MARK.length)) : undefined;
  }

  /**
   * Encrypts the secret of a client with `client_secret_jwt`. Returns `undefined` for all other clients, whose secrets
   * are hashed.
   * @throws {InvalidArgumentError} If the client has `client_secret_jwt` and `encryptSecretsWith` is not set, or its
   * secret is too short or too long.
   */
  encrypt(secret: string, { tokenEndpointAuthMethod: method }: Partial<StoredClient>): string | undefined {
    if (method !== 'client_secret_jwt') return undefined;
    const { seal } = this;
    if (!seal) throw new InvalidArgumentError(UNSEALED);
    if (Buffer.byteLength(secret) < 32) throw new InvalidArgumentError(SHORT);
    if (secret.length > MAX_LENGTH) throw new InvalidArgumentError(LONG);
    return MARK + seal.encrypt(secret);
  }
}

const UNSEALED =
  'Invalid argument: a client with `client_secret_jwt` signs with its secret, so the store must be able to read the secret. Set the option `encryptSecretsWith` of the store';
const SHORT = 'Invalid argument: the secret of a client with `client_secret_jwt` must have at least 32 characters';
/** Maximum length of an encrypted secret in characters, so that `isEncrypted()` recognizes its encrypted form. */
const MAX_LENGTH = 512;
const LONG = `Invalid argument: the secret of a client with \`client_secret_jwt\` must have at most ${MAX_LENGTH} characters`;
