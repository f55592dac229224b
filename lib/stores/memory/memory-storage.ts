import type { CodeRow, GrantFilter, GrantRow, Storage, TokenRow } from '../storage.js';
import { ExpiringMap } from './expiring-map.js';

/** Rows in maps. Nothing is awaited between a look and the mark that follows it, so each step is atomic. */
export class MemoryStorage implements Storage {
  private readonly codes: ExpiringMap<CodeRow>;
  private readonly accessTokens: ExpiringMap<TokenRow>;
  private readonly refreshTokens: ExpiringMap<TokenRow>;
  private readonly grants: ExpiringMap<GrantRow>;

  constructor(limit: number) {
    this.codes = new ExpiringMap(limit);
    this.accessTokens = new ExpiringMap(limit);
    this.refreshTokens = new ExpiringMap(limit);
    this.grants = new ExpiringMap(limit);
  }

  saveCode(grant: GrantRow, code: CodeRow): void {
    this.grants.set(grant.id, grant);
    this.codes.set(code.digest, code);
  }

  findCode(digest: string): CodeRow | undefined {
    return this.alive(this.codes.get(digest));
  }

  spendCode(digest: string, now: number): boolean {
    return spend(this.codes.get(digest), now);
  }

  saveTokens(grant: GrantRow, accessToken: TokenRow, refreshToken: TokenRow | undefined): void {
    const known = this.grants.get(grant.id);
    if (known && known.revokedAt !== null) return;
    if (known) {
      known.lastUsedAt = grant.lastUsedAt;
      known.expiresAt = Math.max(known.expiresAt, grant.expiresAt);
    } else {
      this.grants.set(grant.id, grant);
    }
    this.accessTokens.set(accessToken.digest, accessToken);
    if (refreshToken) this.refreshTokens.set(refreshToken.digest, refreshToken);
  }

  findAccessToken(digest: string): TokenRow | undefined {
    return this.alive(this.accessTokens.get(digest));
  }

  findRefreshToken(digest: string): TokenRow | undefined {
    return this.alive(this.refreshTokens.get(digest));
  }

  spendRefreshToken(digest: string, now: number): boolean {
    return spend(this.refreshTokens.get(digest), now);
  }

  revokeGrant(id: string, now: number): number {
    const grant = this.grants.get(id);
    if (!grant || grant.revokedAt !== null) return 0;
    grant.revokedAt = now;
    return 1;
  }

  revokeGrants(filter: GrantFilter, now: number): number {
    let count = 0;
    for (const grant of this.grants.values()) if (isMatch(grant, filter)) count += this.revokeGrant(grant.id, now);
    return count;
  }

  listGrants(userId: string, now: number): GrantRow[] {
    const grants = [...this.grants.values()].filter(
      (grant) => grant.userId === userId && grant.lastUsedAt && grant.revokedAt === null && grant.expiresAt >= now,
    );
    return structuredClone(grants.toSorted((a, b) => b.lastUsedAt! - a.lastUsedAt!));
  }

  prune(now: number): number {
    const kinds = [this.codes, this.accessTokens, this.refreshTokens, this.grants];
    return kinds.reduce((count, kind) => count + kind.prune(now), 0);
  }

  private alive<Row extends TokenRow>(token: Row | undefined): Row | undefined {
    // A token whose grant is forgotten may be one whose grant was revoked.
    return token && this.grants.get(token.grantId)?.revokedAt === null ? token : undefined;
  }
}

function spend(row: TokenRow | undefined, now: number): boolean {
  if (!row || row.revokedAt !== null) return false;
  row.revokedAt = now;
  return true;
}

function isMatch(grant: GrantRow, { grantId, userId, clientId }: GrantFilter): boolean {
  return (
    (grantId === undefined || grant.id === grantId) &&
    (userId === undefined || grant.userId === userId) &&
    (clientId === undefined || grant.clientId === clientId)
  );
}
