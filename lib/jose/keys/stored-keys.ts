import type { SigningAlgorithm } from '../algorithms.js';
import { isKeyManagementAlgorithm, type KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk } from '../jwk.js';
import { type DecryptionKey, decryptionKey } from './decryption-key.js';
import { StoredKeyAdministration } from './stored-key-administration.js';
import type { KeyRing } from './key-ring.js';
import { newKey } from './new-key.js';
import { type StoredKey, type KeyAlgorithm, schedule } from './schedule.js';
import { type SigningKey, signingKey } from './signing-key.js';

/** Keys that the store keeps for all processes of a server, made by the first one that needs them. */
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
    const found = keys.find(({ key, state }) => key.alg === alg && state === 'current');
    return found && (this.importKey(found.key) as SigningKey);
  }

  algorithms(): readonly SigningAlgorithm[] {
    return this.settings.algorithms;
  }

  decryptionAlgorithms(): readonly KeyManagementAlgorithm[] {
    return this.settings.decryptsBy;
  }

  async decryptionKey(alg: KeyManagementAlgorithm, kid: string | undefined): Promise<DecryptionKey | undefined> {
    if (!this.requiredAlgorithms.includes(alg)) return undefined;
    const find = async (isMissing: boolean) =>
      (await this.scheduled(isMissing)).find(
        ({ key, state }) => key.alg === alg && (kid === undefined ? state === 'current' : key.kid === kid),
      );
    // Another process may have published it a moment ago.
    const found = (await find(false)) ?? (await find(true));
    return found && (this.importKey(found.key) as DecryptionKey);
  }

  private has = (alg: KeyAlgorithm) => this.storedKeys.some((key) => key.alg === alg);

  /** @param isMissing is what is asked for not there at all? Then it is made now, or by whoever is at it. */
  private async scheduled(isMissing: boolean) {
    const age = (performance.now() - this.readAt) / 1000;
    if (isMissing || age >= this.settings.refresh) {
      const reading = (this.reading ??= this.renew().finally(() => (this.reading = undefined)));
      // Keys are known long before they sign, and long after: a store that is down for a while is no reason to stop.
      if (isMissing || age >= this.settings.lead) await reading;
      else reading.catch(() => undefined);
    }
    return schedule(this.storedKeys, Date.now(), this.settings.keep);
  }

  private async renew(): Promise<void> {
    await this.read();
    const { rotateEvery } = this.settings;
    for (const alg of this.requiredAlgorithms) {
      const own = this.storedKeys.filter((key) => key.alg === alg);
      const newest = Math.max(...own.map(({ signsFrom }) => signsFrom));
      const isDue = rotateEvery !== undefined && newest + rotateEvery * 1000 < Date.now();
      if (own.length > 0 && !isDue) continue;
      const made = await newKey(alg, own.length > 0 ? this.nextSigningTime() : Date.now());
      await this.update((keys) => {
        const others = keys.filter((key) => key.alg === alg);
        return others.length === own.length ? [...keys, made] : keys;
      });
    }
  }

  private importKey({ kid, alg, jwk }: StoredKey): SigningKey | DecryptionKey {
    const make = isKeyManagementAlgorithm(alg) ? decryptionKey : signingKey;
    let made = this.imported.get(kid);
    if (!made) this.imported.set(kid, (made = make({ ...jwk, alg, kid })));
    return made;
  }
}
