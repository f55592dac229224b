import { errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { RefreshingCache, type RefreshingCacheSettings } from '../remote/refreshing-cache.js';
import { type KeySelector, LocalKeys, type PublicKeys } from './client-keys/public-keys.js';

/** How long keys are believed. */
export type KeyCacheSettings = RefreshingCacheSettings;

/** The keys of somebody else, asked for again if something names one that is unknown. RFC 7517 */
export class KeyCache implements PublicKeys {
  private readonly keys: RefreshingCache<LocalKeys>;

  constructor(load: () => Promise<JSONWebKeySet>, settings: KeyCacheSettings) {
    this.keys = new RefreshingCache(async () => new LocalKeys(await load()), settings);
  }

  /** As `jose` asks for a key: by the header of what is signed. Rejects as `load` did where there are no keys at all. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.keys.current();
    try {
      return await keys.find(header, token);
    } catch (error) {
      const reading = error instanceof errors.JWKSNoMatchingKey && this.keys.refresh();
      if (!reading) throw error;
      // They may have been changed a moment ago. That there is no answer now makes an unknown key no better.
      const newest = await reading.catch(() => keys);
      return await newest.find(header, token);
    }
  };

  /** Rejects as `load` did where there are no keys at all. */
  async select<T extends object>(selector: KeySelector<T>): Promise<T | undefined> {
    const keys = await this.keys.current();
    const chosen = await keys.select(selector);
    if (chosen) return chosen;
    const newest = await this.keys.refresh()?.catch(() => undefined);
    return await newest?.select(selector);
  }
}
