import { InvalidArgumentError, ServerError } from '../../errors.js';
import type { SigningAlgorithm } from '../algorithms.js';
import type { Jwk } from '../jwk.js';
import type { KeyModel } from './key-model.js';
import type { KeyRing } from './key-ring.js';
import { newKey } from './new-key.js';
import { type KeptKey, type KeyInfo, schedule } from './schedule.js';
import { Seal } from '../../seal.js';
import { type SigningKey, signingKey } from './signing-key.js';
import type { SigningKeys } from './signing-keys.js';

/** How the keys in a store are kept and changed; all times in seconds. */
export interface StoredKeysSettings {
  secrets: readonly string[];
  algorithms: readonly SigningAlgorithm[];
  lead: number;
  keep: number;
  refresh: number;
  rotateEvery: number | undefined;
}

const ATTEMPTS = 20;

/** Keys that the store keeps for all processes of a server, made by the first one that needs them. */
export class StoredKeys implements KeyRing, SigningKeys {
  private readonly seal: Seal;
  private kept: readonly KeptKey[] = [];
  private readonly made = new Map<string, SigningKey>();
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly model: KeyModel,
    private readonly settings: StoredKeysSettings,
  ) {
    this.seal = new Seal(settings.secrets, 'nest-oauth2 signing keys');
  }

  async published(): Promise<readonly Jwk[]> {
    return (await this.scheduled(this.kept.length === 0)).map(({ key }) => this.signing(key).publicJwk);
  }

  async current(alg: SigningAlgorithm = this.settings.algorithms[0]!): Promise<SigningKey | undefined> {
    const isMissing = this.settings.algorithms.includes(alg) && !this.kept.some((key) => key.alg === alg);
    const keys = await this.scheduled(isMissing);
    const found = keys.find(({ key, state }) => key.alg === alg && state === 'current');
    return found && this.signing(found.key);
  }

  algorithms(): readonly SigningAlgorithm[] {
    return this.settings.algorithms;
  }

  /** All keys that are known, the oldest first. */
  async list(): Promise<readonly KeyInfo[]> {
    await this.read();
    return schedule(this.kept, Date.now(), this.settings.keep).map(({ key: { kid, alg, signsFrom }, state }) => ({
      kid,
      alg,
      state,
      signsFrom: new Date(signsFrom),
    }));
  }

  /**
   * Makes a key that signs as soon as everybody may know it; the one before it stays known until all it signed is over. Where
   * a next key waits already, that one is it; the first of all signs at once.
   * @param now sign with it at once: those who have the old keys kept refuse its tokens until they look again
   * @returns the `kid`
   */
  async rotate({ alg, now = false }: { alg?: SigningAlgorithm; now?: boolean } = {}): Promise<string> {
    const wanted = alg ?? this.settings.algorithms[0]!;
    if (!this.settings.algorithms.includes(wanted))
      throw new InvalidArgumentError(`Invalid argument: no key signs by ${wanted}`);
    const made = await newKey(wanted, now ? Date.now() : this.fromNow());
    let { kid } = made;
    await this.change((keys) => {
      const own = keys.filter((key) => key.alg === wanted);
      const waits = now ? undefined : own.find((key) => key.signsFrom > Date.now());
      kid = (waits ?? made).kid;
      if (waits) return keys;
      return [...keys, own.length === 0 ? { ...made, signsFrom: Date.now() } : made];
    });
    return kid;
  }

  /** Forgets a key that somebody else has got: what it signed is good no more. One that signs is replaced at once. */
  async remove(kid: string): Promise<boolean> {
    const found = (await this.list()).find((key) => key.kid === kid);
    if (!found) return false;
    const made = await newKey(found.alg, Date.now());
    await this.change((keys) => {
      const others = keys.filter((key) => key.kid !== kid);
      return others.some((key) => key.alg === found.alg && key.signsFrom <= Date.now()) ? others : [...others, made];
    });
    return true;
  }

  private fromNow = () => Date.now() + this.settings.lead * 1000;

  /** @param isMissing is what is asked for not there at all? Then it is made now, or by whoever is at it. */
  private async scheduled(isMissing: boolean) {
    const age = (performance.now() - this.readAt) / 1000;
    if (isMissing || age >= this.settings.refresh) {
      const reading = (this.reading ??= this.renew().finally(() => (this.reading = undefined)));
      // Keys are known long before they sign, and long after: a store that is down for a while is no reason to stop.
      if (isMissing || age >= this.settings.lead) await reading;
      else reading.catch(() => undefined);
    }
    return schedule(this.kept, Date.now(), this.settings.keep);
  }

  private async renew(): Promise<void> {
    await this.read();
    const { algorithms, rotateEvery } = this.settings;
    for (const alg of algorithms) {
      const own = this.kept.filter((key) => key.alg === alg);
      const newest = Math.max(...own.map(({ signsFrom }) => signsFrom));
      const isDue = rotateEvery !== undefined && newest + rotateEvery * 1000 < Date.now();
      if (own.length > 0 && !isDue) continue;
      const made = await newKey(alg, own.length > 0 ? this.fromNow() : Date.now());
      await this.change((keys) => {
        const others = keys.filter((key) => key.alg === alg);
        return others.length === own.length ? [...keys, made] : keys;
      });
    }
  }

  /** Changes what is kept, and what is too old with it; whoever comes second sees what the first one made. */
  private async change(next: (keys: readonly KeptKey[]) => readonly KeptKey[]): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const old = await this.read();
      const keys = next(this.kept);
      if (keys === this.kept) return;
      const living = schedule(keys, Date.now(), this.settings.keep).map(({ key }) => key);
      if (!(await this.model.replaceSigningKeys(old, this.seal.close(JSON.stringify(living))))) continue;
      this.kept = living;
      return;
    }
    throw new Error('The signing keys change faster than they can be replaced');
  }

  private async read(): Promise<string | undefined> {
    const sealed = (await this.model.getSigningKeys()) || undefined;
    const text = sealed === undefined ? '[]' : this.seal.open(sealed);
    if (text === undefined) throw new ServerError(new Error(OTHER_SECRET));
    this.kept = JSON.parse(text) as KeptKey[];
    this.readAt = performance.now();
    return sealed;
  }

  private signing(key: KeptKey): SigningKey {
    let made = this.made.get(key.kid);
    if (!made) this.made.set(key.kid, (made = signingKey({ ...key.jwk, alg: key.alg, kid: key.kid })));
    return made;
  }
}

const OTHER_SECRET =
  'the signing keys in the store were sealed with another secret: list the old one behind the new one in `secret` of `keys()`';
