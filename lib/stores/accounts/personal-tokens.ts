import type { User } from '../../model/model.js';
import type {
  FoundPersonalToken,
  NewPersonalToken,
  PersonalToken,
  PersonalTokenModel,
  PersonalTokenUse,
} from '../../model/personal-tokens.js';
import { unavailable } from '../../remote/unavailable.js';
import { newGrantId } from '../../tokens/opaque.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import { digest } from '../clients/client-secret.js';
import { hasCurrentPassword, type PasswordMarked } from '../clients/password-mark.js';
import type { StoreContext } from '../clients/store-context.js';
import { verifyFindable } from '../contract/found-user.js';
import type { GrantRow, Row } from '../contract/storage.js';
import type { Grants } from '../grants/grants.js';

/** The data of the row of a token, as JSON. */
interface TokenData extends PasswordMarked {
  name: string;
  resource?: readonly string[];
  usedAt?: number;
  networks?: readonly string[];
}

/** The part of a store that stores personal access tokens: a grant for each, with one row. */
export class PersonalTokens implements PersonalTokenModel {
  constructor(
    private readonly context: Pick<StoreContext, 'storage' | 'users'>,
    private readonly grants: Grants,
  ) {}

  /**
   * Saves a token and returns its ID.
   * @throws {InvalidArgumentError} If the user cannot be found by the ID.
   */
  async savePersonalToken(token: NewPersonalToken, user: User): Promise<string> {
    const { storage, users } = this.context;
    await verifyFindable(users, user);
    const { name, resource } = token;
    const data: TokenData = await this.grants.marked({ name, ...(resource && { resource }) }, user);
    const grant = grantOf(token, user, JSON.stringify({ credential: data.credential }));
    const { id: grantId, userId, issuer, scope, expiresAt } = grant;
    const row = { grantId, userId, issuer, scope, expiresAt, data: JSON.stringify(data) };
    // The row is inserted after its grant, since `listRows()` returns inserted rows only.
    await storage.save(grant, []);
    const isSaved = await storage.insertRow({
      ...row,
      kind: 'personal_token',
      digest: digest(token.token),
      clientId: '',
    });
    if (!isSaved) throw unavailable('The grants of the user were revoked at the same time', 1);
    return grantId;
  }

  /** Finds a token by its text, with its user. */
  async findPersonalToken(token: string): Promise<FoundPersonalToken | undefined> {
    const { storage, users } = this.context;
    const row = await storage.find('personal_token', digest(token));
    if (!row || row.revokedAt !== null) return undefined;
    const user = await users.findById(row.userId!);
    if (!user || !hasCurrentPassword(users, user, row)) return undefined;
    const { networks = [] } = JSON.parse(row.data!) as TokenData;
    return {
      ...describe(row),
      id: row.grantId,
      user,
      networks,
      record: { digest: row.digest, data: row.data! },
    };
  }

  /** Saves when and where a token was used, by compare-and-set. A deleted token is not saved again. */
  async recordPersonalTokenUse(
    { id, user, scope, issuer, expiresAt, record }: FoundPersonalToken,
    { lastUsedAt, networks }: PersonalTokenUse,
  ): Promise<boolean> {
    const row: Row = {
      kind: 'personal_token',
      digest: record.digest,
      grantId: id,
      clientId: '',
      userId: String(user['id']),
      issuer: issuer ?? null,
      scope,
      data: record.data,
      expiresAt: expiresAt.getTime(),
    };
    const used: TokenData = { ...(JSON.parse(record.data) as TokenData), usedAt: lastUsedAt.getTime(), networks };
    return this.context.storage.update(row, { ...row, data: JSON.stringify(used) });
  }

  /** Returns the active tokens of a user, the newest first. */
  async listPersonalTokens({ userId, issuer }: { userId: string | number; issuer?: string }): Promise<PersonalToken[]> {
    const { storage, users } = this.context;
    const user = users.credentialOf && ((await users.findById(String(userId))) || undefined);
    if (users.credentialOf && !user) return [];
    const grants = await storage.listGrants(String(userId), ['personal_token']);
    const own = grants.filter((grant) => issuer === undefined || grant.issuer === issuer);
    const lists = await Promise.all(
      own
        .filter((grant) => !user || hasCurrentPassword(users, user, grant))
        .map(async ({ id, createdAt }) => {
          const rows = await storage.listRows(id, ['personal_token']);
          return rows.map((row) =>
            Object.assign(describe(row), { id, userId: String(userId), createdAt: new Date(createdAt) }),
          );
        }),
    );
    return lists.flat().toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  }

  /** Revokes a token of a user. Returns whether it was active. */
  async revokePersonalToken({
    id,
    userId,
    issuer,
  }: {
    id: string;
    userId: string | number;
    issuer?: string;
  }): Promise<boolean> {
    const filter = { kinds: ['personal_token'], grantId: id, userId: String(userId) } as const;
    const count = await this.context.storage.revokeGrants({ ...filter, ...(issuer !== undefined && { issuer }) });
    notifyTokensRevoked({ grantId: id });
    return count > 0;
  }
}

function grantOf({ scope, issuer, expiresAt }: NewPersonalToken, user: User, data: string): GrantRow {
  const now = Date.now();
  return {
    id: newGrantId(),
    kind: 'personal_token',
    clientId: '',
    userId: String(user['id']),
    issuer: issuer ?? null,
    scope,
    data,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: expiresAt.getTime(),
  };
}

/** Returns what the row of a token tells about it. */
function describe({ scope, issuer, data, expiresAt }: Row) {
  const { name, resource, usedAt } = JSON.parse(data!) as TokenData;
  return {
    name,
    scope: scope ?? '',
    ...(resource && { resource }),
    ...(issuer !== null && { issuer }),
    ...(usedAt !== undefined && { lastUsedAt: new Date(usedAt) }),
    expiresAt: new Date(expiresAt),
  };
}
