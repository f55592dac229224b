import { errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { Renewed, type RenewedSettings } from '../remote/renewed.js';
import { type Choice, KnownKeys, type PublicKeys } from './client-keys/public-keys.js';

/** How long keys are believed. */
export type KeyCacheSettings = RenewedSettings;

/** The keys of somebody else, asked for again if something names one that is unknown. RFC 7517 */
export class KeyCache implements PublicKeys {
  private readonly keys: Renewed<KnownKeys>;

  constructor(load: () => Promise<JSONWebKeySet>, settings: KeyCacheSettings) {
    this.keys = new Renewed(async () => new KnownKeys(await load()), settings);
  }

  /** As `jose` asks for a key: by the header of what is signed. Rejects as `load` did where there are no keys at all. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.keys.current();
    try {
      return await keys.find(header, token);
    } catch (error) {
      const reading = error instanceof errors.JWKSNoMatchingKey && this.keys.newest();
      if (!reading) throw error;
      // They may have been changed a moment ago. That there is no answer now makes an unknown key no better.
      const newest = await reading.catch(() => keys);
      return await newest.find(header, token);
    }
  };

  /** Rejects as `load` did where there are no keys at all. */
  async choose<T extends object>(from: Choice<T>): Promise<T | undefined> {
    const keys = await this.keys.current();
    const chosen = await keys.choose(from);
    if (chosen) return chosen;
    const newest = await this.keys.newest()?.catch(() => undefined);
    return await newest?.choose(from);
  }
}
