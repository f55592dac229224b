import type { SigningAlgorithm } from '../algorithms.js';
import { isKeyManagement, type KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk } from '../jwk.js';
import { type DecryptionKey, decryptionKey } from './decryption-key.js';
import { KeptKeys } from './kept-keys.js';
import type { KeyRing } from './key-ring.js';
import { newKey } from './new-key.js';
import { type KeptKey, type KeyAlgorithm, schedule } from './schedule.js';
import { type SigningKey, signingKey } from './signing-key.js';

/** Keys that the store keeps for all processes of a server, made by the first one that needs them. */
export class StoredKeys extends KeptKeys implements KeyRing {
  private readonly made = new Map<string, SigningKey | DecryptionKey>();
  private reading: Promise<void> | undefined;

  async published(): Promise<readonly Jwk[]> {
    const keys = await this.scheduled(this.wanted.some((alg) => !this.has(alg)));
    return keys
      .filter(({ key: { alg }, state }) => !isKeyManagement(alg) || (state === 'current' && this.wanted.includes(alg)))
      .map(({ key }) => this.keyOf(key).publicJwk);
  }

  async current(alg: SigningAlgorithm = this.settings.algorithms[0]!): Promise<SigningKey | undefined> {
    const keys = await this.scheduled(this.settings.algorithms.includes(alg) && !this.has(alg));
    const found = keys.find(({ key, state }) => key.alg === alg && state === 'current');
    return found && (this.keyOf(found.key) as SigningKey);
  }

  algorithms(): readonly SigningAlgorithm[] {
    return this.settings.algorithms;
  }

  decryptsBy(): readonly KeyManagementAlgorithm[] {
    return this.settings.decryptsBy;
  }

  async decryptionKey(alg: KeyManagementAlgorithm, kid: string | undefined): Promise<DecryptionKey | undefined> {
    if (!this.wanted.includes(alg)) return undefined;
    const find = async (isMissing: boolean) =>
      (await this.scheduled(isMissing)).find(
        ({ key, state }) => key.alg === alg && (kid === undefined ? state === 'current' : key.kid === kid),
      );
    // Another process may have published it a moment ago.
    const found = (await find(false)) ?? (await find(true));
    return found && (this.keyOf(found.key) as DecryptionKey);
  }

  private has = (alg: KeyAlgorithm) => this.kept.some((key) => key.alg === alg);

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
    const { rotateEvery } = this.settings;
    for (const alg of this.wanted) {
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

  private keyOf({ kid, alg, jwk }: KeptKey): SigningKey | DecryptionKey {
    const make = isKeyManagement(alg) ? decryptionKey : signingKey;
    let made = this.made.get(kid);
    if (!made) this.made.set(kid, (made = make({ ...jwk, alg, kid })));
    return made;
  }
}
