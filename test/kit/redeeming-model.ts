import { setImmediate as tick } from 'node:timers/promises';

import type { AuthorizationCode, Client, Model, RefreshToken, Token, Unsaved, User } from 'nest-oauth2/server';

import { CorrectModel } from './correct-model.js';

type Redeem = NonNullable<Model['redeem']>;

/** Returns the row of the code or token to be consumed. */
export function rowOf(model: CorrectModel, used: AuthorizationCode | RefreshToken) {
  return 'refreshToken' in used ? model.refreshTokens.get(used.refreshToken) : model.codes.get(used.authorizationCode);
}

/** Returns a `redeem()` as an application with transactions implements it: both steps succeed, or none. */
export function redeemOf(model: CorrectModel): Redeem {
  return async (used: AuthorizationCode | RefreshToken, token: Unsaved<Token>, client: Client, user: User) => {
    await tick();
    const { rotatedToken, ...rest } = token;
    const row = rowOf(model, used);
    if (!row || row.revokedAt) return undefined;
    if (model.accessTokens.has(rest.accessToken)) throw new Error('duplicate key value violates unique constraint');
    Object.assign(row, { revokedAt: new Date(), rotatedToken });
    const saved = { ...rest, client, user };
    if (!model.ended.has(String(rest.grantId))) keep(model, saved);
    return saved;
  };
}

/** Inserts a token. */
export function keep(model: CorrectModel, saved: Token): void {
  model.accessTokens.set(saved.accessToken, saved);
  if (saved.refreshToken) model.refreshTokens.set(saved.refreshToken, { ...saved, refreshToken: saved.refreshToken });
}

/** A correct model that consumes and saves in one step, and measures ages with a monotonic clock. */
export class RedeemingModel extends CorrectModel {
  private readonly spentAt = new Map<string, number>();
  private readonly both = redeemOf(this);

  async redeem(...[used, ...more]: Parameters<Redeem>): Promise<Token | undefined> {
    const saved = (await this.both(used, ...more)) || undefined;
    if (saved && 'refreshToken' in used) this.spentAt.set(used.refreshToken, performance.now());
    return saved;
  }

  override async revokeToken(token: { refreshToken: string }): Promise<boolean> {
    const won = await super.revokeToken(token);
    if (won) this.spentAt.set(token.refreshToken, performance.now());
    return won;
  }

  override async getRefreshToken(token: string): Promise<RefreshToken | undefined> {
    const found = await super.getRefreshToken(token);
    const at = this.spentAt.get(token);
    return found && at !== undefined ? { ...found, revokedAgo: (performance.now() - at) / 1000 } : found;
  }
}
