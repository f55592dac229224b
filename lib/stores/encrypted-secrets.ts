import { InvalidArgumentError } from '../errors/index.js';
import { TextEncryption } from '../crypto/encrypt-text.js';
import { quickHash } from './client-secret.js';
import type { StoredClient } from './ports.js';

/** Which secrets of clients a store can read again. */
export interface EncryptedSecretsOption {
  /**
   * Keeps the secrets of clients with `tokenEndpointAuthMethod` `client_secret_jwt` so that they can be read again, sealed with
   * this text, of 32 characters at least: for `clientSecretJwt()`. Of a list the first one seals, and all open. Left out: of
   * every secret no more than a hash is kept.
   */
  encryptSecretsWith?: string | readonly string[];
}

const MARK = '$sealed$';

/** Is this a secret that was sealed, in place of its hash? */
export const isEncrypted = (stored: string): boolean => /^\$sealed\$[\w-]{40,1000}$/.test(stored);

/** The secrets of clients that sign with them, which are kept to be read again; of all others a hash is. OpenID Connect Core §9 */
export class EncryptedSecrets {
  private readonly seal: TextEncryption | undefined;

  /** @throws InvalidArgumentError for a text that somebody could guess */
  constructor({ encryptSecretsWith: given }: EncryptedSecretsOption = {}) {
    if (given === undefined) return;
    const texts: readonly unknown[] = [given].flat();
    if (texts.length === 0 || !texts.every((one) => typeof one === 'string' && one.length >= 32)) {
      throw new InvalidArgumentError('Invalid argument: `sealSecretsWith` must be a text of 32 characters at least');
    }
    this.seal = new TextEncryption(texts as readonly string[], 'nest-oauth2 client secrets');
  }

  get canDecrypt(): boolean {
    return this.seal !== undefined;
  }

  /** What is kept of one that is random. */
  storedRandomSecret(secret: string, client: Partial<StoredClient>): string {
    return this.encrypt(secret, client) ?? quickHash(secret);
  }

  /** Those of a client that can be read, as text. */
  read({ secret, secretHashes = [] }: Partial<StoredClient>): string[] {
    const stored = secretHashes.map((kept) => (typeof kept === 'string' ? kept : kept.hash));
    return [...[secret ?? []].flat(), ...stored.flatMap((one) => this.decrypt(one) ?? [])];
  }

  /** The secret that was sealed; undefined: it was not, or not by this text. */
  decrypt(stored: string): string | undefined {
    return isEncrypted(stored) ? this.seal?.decrypt(stored.slice(MARK.length)) : undefined;
  }

  /** What is kept of the secret of a client that signs with it; undefined: of any other one a hash is. */
  encrypt(secret: string, { tokenEndpointAuthMethod: method }: Partial<StoredClient>): string | undefined {
    if (method !== 'client_secret_jwt') return undefined;
    if (!this.seal) throw new InvalidArgumentError(UNSEALED);
    if (Buffer.byteLength(secret) < 32) throw new InvalidArgumentError(SHORT);
    if (secret.length > LONGEST) throw new InvalidArgumentError(LONG);
    return MARK + this.seal.encrypt(secret);
  }
}

const UNSEALED =
  'Invalid argument: a client with `client_secret_jwt` signs with its secret, which has to be read again: give the store `sealSecretsWith`';
const SHORT = 'Invalid argument: a client with `client_secret_jwt` needs a secret of 32 characters at least';
/** As much as is known again when it is sealed. */
const LONGEST = 512;
const LONG = `Invalid argument: a client with \`client_secret_jwt\` has a secret of ${LONGEST} characters at most`;
