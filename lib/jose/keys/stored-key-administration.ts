import { assertConfig } from '../../errors/configuration-error.js';
import { InvalidArgumentError, ServerError } from '../../errors/index.js';
import { TextEncryption } from '../../crypto/encrypt-text.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { isKeyManagementAlgorithm, type KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { KeyModel } from './key-model.js';
import { newKey } from './new-key.js';
import { type StoredKey, type KeyAlgorithm, type KeyInfo, schedule } from './schedule.js';
import type { SigningKeys } from './signing-keys.js';

/** The settings of keys in a store. All times are in seconds. */
export interface StoredKeysSettings {
  secrets: readonly string[];
  algorithms: readonly SigningAlgorithm[];
  /** The key management algorithms of the decryption keys. */
  decryptionAlgorithms: readonly KeyManagementAlgorithm[];
  lead: number;
  keep: number;
  refresh: number;
  rotateEvery: number | undefined;
}

const ATTEMPTS = 20;

/** The administration of keys that the store keeps as one encrypted text. */
export class StoredKeyAdministration implements SigningKeys {
  private readonly encryption: TextEncryption;
  /** The signature and key management algorithms for which the store must contain a key. */
  protected readonly requiredAlgorithms: readonly KeyAlgorithm[];
  protected storedKeys: readonly StoredKey[] = [];
  protected readAt = -Infinity;
  /** Whether the keys in the store are encrypted with a secret other than the first one. */
  protected isOutdated = false;

  constructor(
    private readonly model: KeyModel,
    protected readonly settings: StoredKeysSettings,
  ) {
    this.encryption = new TextEncryption(settings.secrets, 'nest-oauth2 signing keys');
    this.requiredAlgorithms = [...settings.algorithms, ...settings.decryptionAlgorithms];
  }

  /** Returns all keys in the store, the oldest first. */
  async list(): Promise<readonly KeyInfo[]> {
    await this.read();
    return schedule(this.storedKeys, Date.now(), this.settings.keep).map(({ key: { kid, alg, signsFrom }, state }) => ({
      kid,
      alg,
      use: isKeyManagementAlgorithm(alg) ? 'enc' : 'sig',
      state,
      signsFrom: new Date(signsFrom),
    }));
  }

  /**
   * Creates a key that replaces the current one of its algorithm after `lead` seconds. If an upcoming key already
   * exists, none is created. The first key of an algorithm is used immediately. The previous key is kept for `keep`
   * seconds.
   * @param now Whether the key is used immediately. Parties with cached keys then reject its tokens until they fetch
   * the keys again.
   * @returns The `kid` of the new or upcoming key.
   */
  async rotate({ alg, now = false }: { alg?: KeyAlgorithm; now?: boolean } = {}): Promise<string> {
    const algorithm = alg ?? this.settings.algorithms[0]!;
    if (!this.requiredAlgorithms.includes(algorithm)) {
      const action = isKeyManagementAlgorithm(algorithm) ? 'decrypts' : 'signs';
      throw new InvalidArgumentError(`Invalid argument: the server has no key that ${action} with ${algorithm}`);
    }
    const created = await newKey(algorithm, now ? Date.now() : this.nextSigningTime());
    let { kid } = created;
    await this.update((keys) => {
      const existing = keys.filter((key) => key.alg === algorithm);
      const upcoming = now ? undefined : existing.find((key) => key.signsFrom > Date.now());
      kid = (upcoming ?? created).kid;
      if (upcoming) return keys;
      return [...keys, existing.length === 0 ? { ...created, signsFrom: Date.now() } : created];
    });
    return kid;
  }

  /**
   * Removes a compromised key. If it is the current key of its algorithm, creates one that is used immediately.
   * Everything that it signed becomes invalid, and values that were encrypted to it can no longer be decrypted.
   * @returns Whether a key with this `kid` existed.
   */
  async remove(kid: string): Promise<boolean> {
    const removed = (await this.list()).find((key) => key.kid === kid);
    if (!removed) return false;
    const created = await newKey(removed.alg, Date.now());
    await this.update((keys) => {
      const states = schedule(keys, Date.now(), this.settings.keep);
      const isCurrent = states.some(({ key, state }) => key.kid === kid && state === 'current');
      const others = keys.filter((key) => key.kid !== kid);
      // Without a new key, the previous key, which was rotated out, would become current again.
      return isCurrent ? [...others, created] : others;
    });
    return true;
  }

  /** @throws {InvalidArgumentError} If no secret decrypts the keys in the store. */
  async verifySecret(): Promise<void> {
    const encrypted = await this.model.getSigningKeys();
    assertConfig(!encrypted || this.encryption.decrypt(encrypted) !== undefined, WRONG_SECRET);
  }

  protected nextSigningTime = () => Date.now() + this.settings.lead * 1000;

  /**
   * Changes the stored keys with the result of `next`, drops expired ones, and encrypts with the first secret. If another process changed the keys at
   * the same time, reads them again and calls `next` with them.
   * @throws {Error} If other processes have changed the keys at each of several attempts.
   */
  protected async update(next: (keys: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const previous = await this.read();
      const keys = next(this.storedKeys);
      if (keys === this.storedKeys && !this.isOutdated) return;
      const unexpired = schedule(keys, Date.now(), this.settings.keep).map(({ key }) => key);
      if (!(await this.model.replaceSigningKeys(previous, this.encryption.encrypt(JSON.stringify(unexpired)))))
        continue;
      this.storedKeys = unexpired;
      return;
    }
    throw new Error(`Gave up replacing the signing keys after ${ATTEMPTS} conflicting writes`);
  }

  protected async read(): Promise<string | undefined> {
    const encrypted = (await this.model.getSigningKeys()) || undefined;
    const text = encrypted === undefined ? '[]' : this.encryption.decrypt(encrypted);
    if (text === undefined) throw new ServerError(new Error(WRONG_SECRET));
    this.storedKeys = JSON.parse(text) as StoredKey[];
    this.isOutdated = encrypted !== undefined && !this.encryption.isNewest(encrypted);
    this.readAt = performance.now();
    return encrypted;
  }
}

const WRONG_SECRET =
  'the signing keys in the store were encrypted with another secret: add the old secret after the new one, as in `secret: [new, old]` of `keys()`, or of the module if `keys()` has none';
