import { newGrantId } from '../tokens/opaque.js';
import { digest } from './client-secret.js';
import type { GrantRow, Storage } from './storage.js';

/**
 * Stores a grant without tokens under an id that is derived from a name, so that processes which store it at the same
 * time store it once. If the grant of a name is revoked, the next name is tried, and a random id at last.
 */
export async function keepOnce(storage: Storage, names: readonly string[], grant: GrantRow): Promise<void> {
  for (const id of [...names.map(digest), newGrantId()]) {
    await storage.keep({ ...grant, id }, []);
    if (await storage.hasGrant(id)) return;
  }
}

/** Returns the number of the current minute, as a part of such a name. */
export const currentMinute = (): number => Math.floor(Date.now() / 60_000);
