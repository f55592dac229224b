import type { SigningAlgorithm } from '../algorithms.js';
import { isKeyManagementAlgorithm, type KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk } from '../jwk.js';
import { type DecryptionKey, decryptionKey } from './decryption-key.js';
import { StoredKeyAdministration } from './stored-key-administration.js';
import type { KeyRing } from './key-ring.js';
import { newKey } from './new-key.js';
import { type StoredKey, type KeyAlgorithm, schedule } from './schedule.js';
import { type SigningKey, signingKey } from './signing-key.js';

/** The keys that the store keeps for all processes of a server. The first process that needs a key creates it. */
export class StoredKeys extends StoredKeyAdministration implements KeyRing {
  private readonly imported = new Map<string, SigningKey | DecryptionKey>();
  private reading: Promise<void> | undefined;

  async published(): Promise<readonly Jwk[]> {
    const keys = await this.scheduled(this.requiredAlgorithms.some((alg) => !this.has(alg)));
    return keys
      .filter(
        ({ key: { alg }, state }) =>
          !isKeyManagementAlgorithm(alg) || (state === 'current' && this.requiredAlgorithms.includes(alg)),
      )
      .map(({ key }) => this.importKey(key).publicJwk);
  }

  async current(alg: SigningAlgorithm = this.settings.algorithms[0]!): Promise<SigningKey | undefined> {
    const keys = await this.scheduled(this.settings.algorithms.includes(alg) && !this.has(alg));
    const entry = keys.find(({ key, state }) => key.alg === alg && state === 'current');
    return entry && (this.importKey(entry.key) as SigningKey);
  }

  algorithms(): readonly SigningAlgorithm[] {
    return this.settings.algorithms;
  }

  decryptionAlgorithms(): readonly KeyManagementAlgorithm[] {
    return this.settings.decryptionAlgorithms;
  }

  async decryptionKey(alg: KeyManagementAlgorithm, kid: string | undefined): Promise<DecryptionKey | undefined> {
    if (!this.requiredAlgorithms.includes(alg)) return undefined;
    const find = async (isMissing: boolean) =>
      (await this.scheduled(isMissing)).find(
        ({ key, state }) => key.alg === alg && (kid === undefined ? state === 'current' : key.kid === kid),
      );
    // Another process may have published the key a moment ago.
    const entry = (await find(false)) ?? (await find(true));
    return entry && (this.importKey(entry.key) as DecryptionKey);
  }

  private has = (alg: KeyAlgorithm) => this.storedKeys.some((key) => key.alg === alg);

  /**
   * Returns the keys in the store with their states. If the cached keys are too old, reads them again.
   * @param isMissing Whether a required key is not among the cached keys. It is then read from the store, or created.
   */
  private async scheduled(isMissing: boolean) {
    const age = (performance.now() - this.readAt) / 1000;
    if (isMissing || age >= this.settings.refresh) {
      const reading = (this.reading ??= this.renew().finally(() => (this.reading = undefined)));
      // Keys are published before they sign and stay published afterwards, so a short outage of the store must not
      // cause failures.
      if (isMissing || age >= this.settings.lead) await reading;
      else reading.catch(() => undefined);
    }
    return schedule(this.storedKeys, Date.now(), this.settings.keep);
  }

  private async renew(): Promise<void> {
    await this.read();
    if (this.isOutdated) await this.update((keys) => keys);
    const { rotateEvery } = this.settings;
    for (const alg of this.requiredAlgorithms) {
      const existing = this.storedKeys.filter((key) => key.alg === alg);
      const newest = Math.max(...existing.map(({ signsFrom }) => signsFrom));
      const isDue = rotateEvery !== undefined && newest + rotateEvery * 1000 < Date.now();
      if (existing.length > 0 && !isDue) continue;
      const created = await newKey(alg, existing.length > 0 ? this.nextSigningTime() : Date.now());
      await this.update((keys) => {
        const others = keys.filter((key) => key.alg === alg);
        return others.length === existing.length ? [...keys, created] : keys;
      });
    }
  }

  private importKey({ kid, alg, jwk }: StoredKey): SigningKey | DecryptionKey {
    const make = isKeyManagementAlgorithm(alg) ? decryptionKey : signingKey;
    let created = this.imported.get(kid);
    if (!created) this.imported.set(kid, (created = make({ ...jwk, alg, kid })));
    return created;
  }
}
