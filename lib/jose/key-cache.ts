import { errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { RefreshingCache, type RefreshingCacheSettings } from '../remote/refreshing-cache.js';
import { type KeySelector, LocalKeys, type PublicKeys } from './client-keys/public-keys.js';

/** The settings of a key cache: how long keys are cached, and how often they are fetched. */
export type KeyCacheSettings = RefreshingCacheSettings;

/**
 * The cached public keys of a client or another server. They are fetched again if a JWT has a key that is not among
 * them. RFC 7517
 */
export class KeyCache implements PublicKeys {
  private readonly keys: RefreshingCache<LocalKeys>;

  constructor(load: () => Promise<JSONWebKeySet>, settings: KeyCacheSettings) {
    this.keys = new RefreshingCache(async () => new LocalKeys(await load()), settings);
  }

  /**
   * Finds the key that belongs to the header of a signed JWT, as a function of the type that `jose` expects. Rejects
   * with the error of `load` if the keys cannot be fetched and none are cached.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.keys.current();
    try {
      return await keys.find(header, token);
    } catch (error) {
      const renewal = error instanceof errors.JWKSNoMatchingKey && this.keys.refresh();
      if (!renewal) throw error;
      // The keys may have been rotated. If they cannot be fetched again, the JWT is rejected because its key is
      // unknown.
      const newest = await renewal.catch(() => keys);
      return await newest.find(header, token);
    }
  };

  /**
   * Passes the key set to `selector` and returns its result. If no key is suitable, fetches the keys again and tries
   * once more. Rejects with the error of `load` if the keys cannot be fetched and none are cached.
   */
  async select<T extends object>(selector: KeySelector<T>): Promise<T | undefined> {
    const keys = await this.keys.current();
    const selected = await keys.select(selector);
    if (selected) return selected;
    const newest = await this.keys.refresh()?.catch(() => undefined);
    return await newest?.select(selector);
  }
}
