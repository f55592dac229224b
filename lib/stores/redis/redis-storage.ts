import { randomUUID } from 'node:crypto';

import type { CodeRow, Found, GrantFilter, GrantRow, Storage, TokenRow } from '../storage.js';
import type { RunScript } from './connection.js';
import { RedisClients } from './redis-clients.js';
import { RedisGrants } from './redis-grants.js';
import { FIND_ROW, KEEP_ROW, SPEND } from './scripts.js';
import { TokenHints } from './token-hints.js';

type Kind = 'code' | 'access' | 'refresh';

/** A key for each code, token, grant and client, each of which Redis forgets when it is over. */
export class RedisStorage extends RedisClients implements Storage {
  private readonly grants: RedisGrants;
  private readonly hints = new TokenHints();

  /** @param keepsClients are the clients kept here too? */
  constructor(
    private readonly runScript: RunScript,
    private readonly keyPrefix: string,
    private readonly keepsClients: boolean,
  ) {
    super(runScript, keyPrefix);
    this.grants = new RedisGrants(runScript, keyPrefix);
  }

  async saveCode(grant: GrantRow, code: CodeRow): Promise<void> {
    await Promise.all([this.grants.keep(grant), this.keep('code', code)]);
  }

  async findCode(digest: string): Promise<Found<CodeRow> | undefined> {
    const code = await this.find<CodeRow>('code', digest);
    return code && owned(code, await this.findOwners(code));
  }

  spendCode(digest: string, now: number): Promise<boolean> {
    return this.spend('code', digest, now);
  }

  /** All at once: nobody is told of the tokens before all of it is kept, and without a living grant they are worthless. */
  async saveTokens(grant: GrantRow, accessToken: TokenRow, refreshToken: TokenRow | undefined): Promise<void> {
    const tokens = [this.keep('access', accessToken)];
    if (refreshToken) tokens.push(this.keep('refresh', refreshToken));
    await Promise.all([this.grants.keep(grant), ...tokens]);
  }

  async findAccessToken(digest: string): Promise<Found<TokenRow> | undefined> {
    const hint = this.hints.get(digest);
    const [token, hinted] = await Promise.all([this.find('access', digest), hint && this.findOwners(hint)]);
    if (token && !hint) this.hints.set(digest, token);
    return token && owned(token, hinted ?? (await this.findOwners(token)));
  }

  async findRefreshToken(digest: string): Promise<Found<TokenRow> | undefined> {
    const token = await this.find('refresh', digest);
    return token && owned(token, await this.findOwners(token));
  }

  spendRefreshToken(digest: string, now: number): Promise<boolean> {
    return this.spend('refresh', digest, now);
  }

  revokeGrant(id: string, now: number): Promise<number> {
    return this.grants.revoke(id, now);
  }

  revokeGrants(filter: GrantFilter, now: number): Promise<number> {
    return this.grants.revokeAll(filter, now);
  }

  listGrants(userId: string, now: number): Promise<GrantRow[]> {
    return this.grants.ofUser(userId, now);
  }

  /** Nothing is left to do: keys expire by themselves, and lists are tidied as they grow. */
  async prune(): Promise<number> {
    return 0;
  }

  private async keep(kind: Kind, row: TokenRow): Promise<void> {
    const json = JSON.stringify({ ...row, digest: undefined, revokedAt: undefined });
    await this.runScript(KEEP_ROW, this.rowKey(kind, row.digest), json, String(row.expiresAt));
  }

  private async find<Row extends TokenRow>(kind: Kind, digest: string): Promise<Row | undefined> {
    const kept = (await this.runScript(FIND_ROW, this.rowKey(kind, digest))) as string | null;
    if (!kept) return undefined;
    const json = kept.indexOf('{');
    const revokedAt = json === 0 ? null : Number(kept.slice(0, kept.indexOf(' ')));
    return Object.assign(JSON.parse(kept.slice(json)) as Row, { digest, revokedAt });
  }

  private async spend(kind: Kind, digest: string, now: number): Promise<boolean> {
    return (await this.runScript(SPEND, this.rowKey(kind, digest), String(now), randomUUID())) === 1;
  }

  /** Is the grant alive, and who is the client, if that is kept here? */
  private async findOwners({ grantId, clientId }: Pick<TokenRow, 'grantId' | 'clientId'>) {
    const client = this.keepsClients ? this.findClient(clientId) : undefined;
    const [isAlive, found] = await Promise.all([this.grants.isAlive(grantId), client]);
    return { isAlive, client: this.keepsClients ? (found ?? null) : undefined };
  }

  private rowKey(kind: Kind, digest: string): string {
    return `${this.keyPrefix}${kind}:${digest}`;
  }
}

function owned<Row extends TokenRow>(row: Row, owners: { isAlive: boolean; client: Found<Row>['client'] }) {
  return owners.isAlive ? Object.assign(row, { client: owners.client }) : undefined;
}
