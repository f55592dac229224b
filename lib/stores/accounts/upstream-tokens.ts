import type {
  StoredUpstreamTokens,
  UpstreamTokenModel,
  UpstreamTokensKey,
  UpstreamTokensValue,
} from '../../model/upstream-tokens.js';
import { unavailable } from '../../remote/unavailable.js';
import type { StoreContext } from '../clients/store-context.js';
import { newGrant } from '../contract/new-grant.js';
import type { GrantRow, Row, StoredRow } from '../contract/storage.js';

/** Number of attempts to add an entry while others revoke it. */
const ATTEMPTS = 5;

/** The part of a store that stores tokens of other providers: a grant for each entry, with one row. Both have its ID. */
export class UpstreamTokens implements UpstreamTokenModel {
  constructor(private readonly context: Pick<StoreContext, 'storage'>) {}

  async findUpstreamTokens(id: string): Promise<StoredUpstreamTokens | undefined> {
    const row = await this.context.storage.find('upstream', id);
    const entry = row?.revokedAt === null ? entryOf(row) : undefined;
    return entry && entry.expiresIn > 0 ? entry : undefined;
  }

  async addUpstreamTokens(key: UpstreamTokensKey, { data, lifetime }: UpstreamTokensValue): Promise<boolean> {
    const { storage } = this.context;
    const { id } = key;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await storage.save(grantOf(key, lifetime), []);
      const isInserted = await storage.insertRow({ ...rowOf(key, data), lifetime });
      const found = await this.findUpstreamTokens(id);
      if (found) return isInserted && found.data === data;
      // An old grant with this ID was revoked, also by `revokeBefore()`, and never becomes active again.
      await storage.eraseGrants({ kinds: ['upstream'], grantId: id }, 1);
    }
    throw unavailable('The grants of the user were revoked at the same time', 1);
  }

  async replaceUpstreamTokens(
    from: StoredUpstreamTokens,
    { data, lifetime }: Pick<UpstreamTokensValue, 'data'> & Partial<UpstreamTokensValue>,
  ): Promise<boolean> {
    const { storage } = this.context;
    const to = { ...rowOf(from, data), ...(lifetime !== undefined && { lifetime }) };
    if (!(await storage.update(rowOf(from, from.data), to))) return false;
    // The row ends with its grant, so the grant is extended too.
    if (lifetime !== undefined) await storage.save(grantOf(from, lifetime), []);
    return true;
  }

  async removeUpstreamTokens(id: string): Promise<boolean> {
    return (await this.context.storage.eraseGrants({ kinds: ['upstream'], grantId: id }, 1)) > 0;
  }

  async listUpstreamTokens({
    userId,
    issuer,
  }: Pick<UpstreamTokensKey, 'userId' | 'issuer'>): Promise<StoredUpstreamTokens[]> {
    const { storage } = this.context;
    const grants = await storage.listGrants(userId, ['upstream']);
    const own = grants.filter((grant) => grant.issuer === issuer);
    return (await Promise.all(own.map(async ({ id }) => storage.listRows(id, ['upstream'])))).flat().map(entryOf);
  }
}

function grantOf({ id, userId, issuer }: UpstreamTokensKey, lifetime: number): GrantRow {
  const now = Date.now();
  return newGrant({ id, kind: 'upstream', userId, issuer, createdAt: now, lastUsedAt: now, expiresAt: now + lifetime });
}

const rowOf = ({ id, userId, issuer }: UpstreamTokensKey, data: string): Row => ({
  kind: 'upstream',
  digest: id,
  grantId: id,
  clientId: '',
  userId,
  issuer,
  scope: null,
  data,
  // Each saved row has a `lifetime`, and a row that is not saved keeps its expiry.
  expiresAt: 0,
});

const entryOf = ({ digest: id, userId, issuer, data, expiresAt, expiresIn }: StoredRow): StoredUpstreamTokens => ({
  id,
  userId: userId!,
  issuer: issuer!,
  data: data!,
  expiresIn: expiresIn ?? expiresAt - Date.now(),
});
