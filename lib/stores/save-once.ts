import { newGrantId } from '../tokens/opaque.js';
import { digest } from './client-secret.js';
import type { GrantRow, Storage } from './storage.js';

/**
 * Stores a grant without tokens under an ID that is derived from the first name. So concurrent processes that use the
 * same name store it once. If that grant was revoked, the next name is tried, and finally a random ID.
 */
export async function saveOnce(storage: Storage, names: readonly string[], grant: GrantRow): Promise<void> {
  for (const id of [...names.map(digest), newGrantId()]) {
    await storage.save({ ...grant, id }, []);
    if (await storage.hasGrant(id)) return;
  }
}

/** Returns the number of the current minute since the epoch, for a name that is passed to `saveOnce()`. */
export const currentMinute = (): number => Math.floor(Date.now() / 60_000);
