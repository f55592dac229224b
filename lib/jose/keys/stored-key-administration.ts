import { InvalidArgumentError, ServerError } from '../../errors/index.js';
import { TextEncryption } from '../../crypto/encrypt-text.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { isKeyManagementAlgorithm, type KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { KeyModel } from './key-model.js';
import { newKey } from './new-key.js';
import { type StoredKey, type KeyAlgorithm, type KeyInfo, schedule } from './schedule.js';
import type { SigningKeys } from './signing-keys.js';

/** How the keys in a store are kept and changed; all times in seconds. */
export interface StoredKeysSettings {
  secrets: readonly string[];
  algorithms: readonly SigningAlgorithm[];
  /** What others may encrypt to it by. */
  decryptsBy: readonly KeyManagementAlgorithm[];
  lead: number;
  keep: number;
  refresh: number;
  rotateEvery: number | undefined;
}

const ATTEMPTS = 20;

/** Keys that the store keeps as one text, sealed, and how they are changed. */
export class StoredKeyAdministration implements SigningKeys {
  private readonly encryption: TextEncryption;
  /** Those there have to be. */
  protected readonly requiredAlgorithms: readonly KeyAlgorithm[];
  protected storedKeys: readonly StoredKey[] = [];
  protected readAt = -Infinity;

  constructor(
    private readonly model: KeyModel,
    protected readonly settings: StoredKeysSettings,
  ) {
    this.encryption = new TextEncryption(settings.secrets, 'nest-oauth2 signing keys');
    this.requiredAlgorithms = [...settings.algorithms, ...settings.decryptsBy];
  }

  /** All keys that are known, the oldest first. */
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
   * Makes a key that signs as soon as everybody may know it; the one before it stays known until all it signed is over. Where
   * a next key waits already, that one is it; the first of all signs at once. One that decrypts is published then.
   * @param now sign with it at once: those who have the old keys kept refuse its tokens until they look again
   * @returns the `kid`
   */
  async rotate({ alg, now = false }: { alg?: KeyAlgorithm; now?: boolean } = {}): Promise<string> {
    const wanted = alg ?? this.settings.algorithms[0]!;
    if (!this.requiredAlgorithms.includes(wanted)) {
      const does = isKeyManagementAlgorithm(wanted) ? 'decrypts' : 'signs';
      throw new InvalidArgumentError(`Invalid argument: no key ${does} by ${wanted}`);
    }
    const made = await newKey(wanted, now ? Date.now() : this.nextSigningTime());
    let { kid } = made;
    await this.update((keys) => {
      const own = keys.filter((key) => key.alg === wanted);
      const waits = now ? undefined : own.find((key) => key.signsFrom > Date.now());
      kid = (waits ?? made).kid;
      if (waits) return keys;
      return [...keys, own.length === 0 ? { ...made, signsFrom: Date.now() } : made];
    });
    return kid;
  }

  /** Forgets a key that somebody else has got: what it signed is good no more, and what was encrypted to it is not read. */
  async remove(kid: string): Promise<boolean> {
    const found = (await this.list()).find((key) => key.kid === kid);
    if (!found) return false;
    const made = await newKey(found.alg, Date.now());
    await this.update((keys) => {
      const others = keys.filter((key) => key.kid !== kid);
      return others.some((key) => key.alg === found.alg && key.signsFrom <= Date.now()) ? others : [...others, made];
    });
    return true;
  }

  protected nextSigningTime = () => Date.now() + this.settings.lead * 1000;

  /** Changes what is kept, and what is too old with it; whoever comes second sees what the first one made. */
  protected async update(next: (keys: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const old = await this.read();
      const keys = next(this.storedKeys);
      if (keys === this.storedKeys) return;
      const living = schedule(keys, Date.now(), this.settings.keep).map(({ key }) => key);
      if (!(await this.model.replaceSigningKeys(old, this.encryption.encrypt(JSON.stringify(living))))) continue;
      this.storedKeys = living;
      return;
    }
    throw new Error('The signing keys change faster than they can be replaced');
  }

  protected async read(): Promise<string | undefined> {
    const sealed = (await this.model.getSigningKeys()) || undefined;
    const text = sealed === undefined ? '[]' : this.encryption.decrypt(sealed);
    if (text === undefined) throw new ServerError(new Error(WRONG_SECRET));
    this.storedKeys = JSON.parse(text) as StoredKey[];
    this.readAt = performance.now();
    return sealed;
  }
}

const WRONG_SECRET =
  'the signing keys in the store were sealed with another secret: list the old one behind the new one in `secret` of `keys()`';
