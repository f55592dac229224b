import { newGrantId } from '../../tokens/opaque.js';
import { digest } from '../clients/client-secret.js';
import type { GrantRow, Storage } from '../contract/storage.js';

/** Number of names to try. A name is taken by each revocation of a grant under the same name. */
const MAX_NAMES = 10;

/**
 * Stores a grant without tokens under an ID that is derived from a name. So concurrent processes that use the same name
 * store it once. If that grant was revoked, numbered names are tried in the same order, and finally a random ID.
 */
export async function saveOnce(storage: Storage, name: string, grant: GrantRow): Promise<void> {
  const numbered = Array.from({ length: MAX_NAMES - 1 }, (_, index) => `${name} ${index + 1}`);
  for (const id of [...[name, ...numbered].map(digest), newGrantId()]) {
    await storage.save({ ...grant, id }, []);
    if (await storage.hasGrant(id)) return;
  }
}
