import { createHash } from 'node:crypto';

import type {
  AuthorizationCode,
  Awaitable,
  Client,
  Falsy,
  Model,
  RefreshToken,
  Token,
  Unsaved,
  User,
} from 'nest-oauth2/server';

/** A code or token, kept by its digest: who reads the table can use none of them. */
export interface Row {
  /** What it is and the SHA-256 of it: `code:…`, `access:…` or `refresh:…`. The primary key. */
  key: string;
  grantId: string;
  clientId: string;
  userId: string;
  /** Who gave it out, where the server has an `issuer`. */
  issuer: string | null;
  scope: string | null;
  expiresAt: Date;
  /** When it was spent. */
  revokedAt: Date | null;
  redirectUri: string | null;
  codeChallenge: string | null;
  codeChallengeMethod: string | null;
  /** Beside a spent refresh token: what came of it, sealed by the server. */
  successor: string | null;
}

/** Where your clients and users are. */
export interface People {
  findClient(id: string, secret: string | null): Awaitable<Client | Falsy>;
  findUser(id: string): Awaitable<User | Falsy>;
}

type Kind = 'code' | 'access' | 'refresh';

/** The part of a model that is the same over any database; the five queries below are yours. */
export abstract class RowModel implements Model {
  constructor(protected readonly people: People) {}

  /** Saves rows, and their grant unless it is there: one that was revoked stays so. */
  protected abstract insert(grantId: string, rows: Row[]): Promise<unknown>;
  /** Finds a row whose grant is alive; with it, what is saved into a dead grant is dead on arrival. */
  protected abstract find(key: string): Promise<Row | Falsy>;
  /** Marks a row as spent. One statement looks and writes; true if it changed a row. */
  protected abstract spend(key: string): Promise<boolean>;
  /** Spends a row, as `spend` does, writes `successor` into it and saves the others: all in one step, or nothing. */
  protected abstract exchange(key: string, successor: string | null, rows: Row[]): Promise<boolean>;
  abstract revokeGrant(grantId: string): Promise<unknown>;

  getClient(id: string, secret: string | null): Awaitable<Client | Falsy> {
    return this.people.findClient(id, secret);
  }

  async saveAuthorizationCode(code: Unsaved<AuthorizationCode>, client: Client, user: User) {
    await this.insert(code.grantId!, [row('code', code.authorizationCode, code.expiresAt, code, client, user)]);
    return { ...code, client, user };
  }

  async saveToken(token: Unsaved<Token>, client: Client, user: User): Promise<Token> {
    await this.insert(token['grantId'] as string, rowsOf(token, client, user));
    return { ...token, client, user } as Token;
  }

  /** For `refreshTokenReuseInterval`, and so that nothing is lost between the two: it takes the place of the calls above. */
  async redeem(spent: AuthorizationCode | RefreshToken, token: Unsaved<Token>, client: Client, user: User) {
    const { successor = null, ...rest } = token;
    const key = 'refreshToken' in spent ? keyOf('refresh', spent.refreshToken) : keyOf('code', spent.authorizationCode);
    const isSpent = await this.exchange(key, successor, rowsOf(rest as Unsaved<Token>, client, user));
    return isSpent ? ({ ...rest, client, user } as Token) : undefined;
  }

  async getAuthorizationCode(authorizationCode: string): Promise<AuthorizationCode | undefined> {
    const found = await this.load('code', authorizationCode);
    return found && { ...found, authorizationCode };
  }

  async getAccessToken(accessToken: string): Promise<Token | undefined> {
    const found = await this.load('access', accessToken);
    return found && { ...found, accessToken, accessTokenExpiresAt: found.expiresAt };
  }

  async getRefreshToken(refreshToken: string): Promise<RefreshToken | undefined> {
    const found = await this.load('refresh', refreshToken);
    return found && { ...found, refreshToken, refreshTokenExpiresAt: found.expiresAt };
  }

  revokeAuthorizationCode({ authorizationCode }: AuthorizationCode): Promise<boolean> {
    return this.spend(keyOf('code', authorizationCode));
  }

  revokeToken({ refreshToken }: RefreshToken): Promise<boolean> {
    return this.spend(keyOf('refresh', refreshToken));
  }

  private async load(kind: Kind, value: string) {
    const found = await this.find(keyOf(kind, value));
    const client = found && (await this.people.findClient(found.clientId, null));
    const user = found && (await this.people.findUser(found.userId));
    if (!found || !client || !user) return undefined;
    const { grantId, expiresAt } = found;
    return {
      client,
      user,
      grantId,
      expiresAt,
      issuer: found.issuer ?? undefined,
      scope: found.scope ?? undefined,
      revokedAt: found.revokedAt ?? undefined,
      redirectUri: found.redirectUri ?? undefined,
      codeChallenge: found.codeChallenge ?? undefined,
      codeChallengeMethod: found.codeChallengeMethod ?? undefined,
      successor: found.successor ?? undefined,
    };
  }
}

const keyOf = (kind: Kind, value: string) => `${kind}:${createHash('sha256').update(value).digest('base64url')}`;

function row(
  kind: Kind,
  value: string,
  expiresAt: Date,
  more: Partial<AuthorizationCode>,
  client: Client,
  user: User,
): Row {
  return {
    key: keyOf(kind, value),
    grantId: more.grantId!,
    clientId: client.id,
    userId: String(user['id']),
    issuer: more.issuer ?? null,
    scope: [more.scope ?? []].flat().join(' ') || null,
    expiresAt,
    revokedAt: null,
    redirectUri: more.redirectUri ?? null,
    codeChallenge: more.codeChallenge ?? null,
    codeChallengeMethod: more.codeChallengeMethod ?? null,
    successor: null,
  };
}

function rowsOf(token: Unsaved<Token>, client: Client, user: User): Row[] {
  const rows = [row('access', token.accessToken, token.accessTokenExpiresAt, token, client, user)];
  if (token.refreshToken) {
    // A client that refreshed for less keeps the right to the rest.
    const kept = { ...token, scope: token.refreshTokenScope ?? token.scope };
    rows.push(row('refresh', token.refreshToken, token.refreshTokenExpiresAt!, kept, client, user));
  }
  return rows;
}
