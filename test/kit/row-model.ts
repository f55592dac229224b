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

/** The stored row of a code or token. It contains a digest, so a leaked table reveals no usable token. */
export interface Row {
  /** The primary key: the kind and the SHA-256 digest, such as `code:…`, `access:…` or `refresh:…`. */
  key: string;
  grantId: string;
  clientId: string;
  userId: string;
  /** The issuer of the code or token, or `null` if the server has no `issuer`. */
  issuer: string | null;
  scope: string | null;
  expiresAt: Date;
  /** The time at which the code or refresh token was used, or `null`. */
  revokedAt: Date | null;
  redirectUri: string | null;
  codeChallenge: string | null;
  codeChallengeMethod: string | null;
  /** The token response that replaced a used refresh token, encrypted by the server, or `null`. */
  rotatedToken: string | null;
}

/** A lookup of your clients and users. */
export interface Directory {
  findClient(id: string, secret: string | null): Awaitable<Client | Falsy>;
  findUser(id: string): Awaitable<User | Falsy>;
}

type Kind = 'code' | 'access' | 'refresh';

/** The part of a model that is the same for any database. Subclasses implement the five abstract queries. */
export abstract class RowModel implements Model {
  constructor(protected readonly directory: Directory) {}

  /** Saves rows, and their grant unless it exists. A revoked grant stays revoked. */
  protected abstract insert(grantId: string, rows: Row[]): Promise<unknown>;
  /** Finds a row by its key if its grant is not revoked. A row saved after the revocation is therefore never valid. */
  protected abstract find(key: string): Promise<Row | Falsy>;
  /** Marks an unused row as used, in one atomic statement. Returns whether the row changed. */
  protected abstract consume(key: string): Promise<boolean>;
  /**
   * Marks an unused row as used, stores `rotatedToken` in it and saves `rows`, all in one transaction. Returns whether the
   * row changed.
   */
  protected abstract consumeAndInsert(key: string, rotatedToken: string | null, rows: Row[]): Promise<boolean>;
  /** Marks a grant as revoked. */
  abstract revokeGrant(grantId: string): Promise<unknown>;

  getClient(id: string, secret: string | null): Awaitable<Client | Falsy> {
    return this.directory.findClient(id, secret);
  }

  async saveAuthorizationCode(code: Unsaved<AuthorizationCode>, client: Client, user: User) {
    const codeRow = row('code', code.authorizationCode, code.expiresAt, code, client, user);
    await this.insert(codeRow.grantId, [codeRow]);
    return { ...code, client, user };
  }

  async saveToken(token: Unsaved<Token>, client: Client, user: User): Promise<Token> {
    await this.insert(token['grantId'] as string, rowsOf(token, client, user));
    return { ...token, client, user };
  }

  /**
   * Consumes a code or refresh token and saves the new tokens in one step. It replaces `revokeAuthorizationCode()` or
   * `revokeToken()` followed by `saveToken()`, and is required for `refreshTokenReuseInterval`.
   */
  async redeem(used: AuthorizationCode | RefreshToken, token: Unsaved<Token>, client: Client, user: User) {
    const { rotatedToken = null, ...rest } = token;
    const key = 'refreshToken' in used ? keyOf('refresh', used.refreshToken) : keyOf('code', used.authorizationCode);
    const isConsumed = await this.consumeAndInsert(key, rotatedToken, rowsOf(rest, client, user));
    return isConsumed ? ({ ...rest, client, user } as Token) : undefined;
  }

  async getAuthorizationCode(authorizationCode: string): Promise<AuthorizationCode | undefined> {
    const grant = await this.load('code', authorizationCode);
    return grant && { ...grant, authorizationCode };
  }

  async getAccessToken(accessToken: string): Promise<Token | undefined> {
    const grant = await this.load('access', accessToken);
    return grant && { ...grant, accessToken, accessTokenExpiresAt: grant.expiresAt };
  }

  async getRefreshToken(refreshToken: string): Promise<RefreshToken | undefined> {
    const grant = await this.load('refresh', refreshToken);
    return grant && { ...grant, refreshToken, refreshTokenExpiresAt: grant.expiresAt };
  }

  revokeAuthorizationCode({ authorizationCode }: AuthorizationCode): Promise<boolean> {
    return this.consume(keyOf('code', authorizationCode));
  }

  revokeToken({ refreshToken }: RefreshToken): Promise<boolean> {
    return this.consume(keyOf('refresh', refreshToken));
  }

  private async load(kind: Kind, value: string) {
    const stored = await this.find(keyOf(kind, value));
    const client = stored && (await this.directory.findClient(stored.clientId, null));
    const user = stored && (await this.directory.findUser(stored.userId));
    if (!stored || !client || !user) return undefined;
    const { grantId, expiresAt } = stored;
    return {
      client,
      user,
      grantId,
      expiresAt,
      issuer: stored.issuer ?? undefined,
      scope: stored.scope ?? undefined,
      revokedAt: stored.revokedAt ?? undefined,
      redirectUri: stored.redirectUri ?? undefined,
      codeChallenge: stored.codeChallenge ?? undefined,
      codeChallengeMethod: stored.codeChallengeMethod ?? undefined,
      rotatedToken: stored.rotatedToken ?? undefined,
    };
  }
}

const keyOf = (kind: Kind, value: string) => `${kind}:${createHash('sha256').update(value).digest('base64url')}`;

function row(
  kind: Kind,
  value: string,
  expiresAt: Date | undefined,
  properties: Partial<AuthorizationCode>,
  client: Client,
  user: User,
): Row {
  return {
    key: keyOf(kind, value),
    grantId: properties.grantId!,
    clientId: client.id,
    userId: String(user['id']),
    issuer: properties.issuer ?? null,
    scope: [properties.scope ?? []].flat().join(' ') || null,
    expiresAt: expiresAt!,
    revokedAt: null,
    redirectUri: properties.redirectUri ?? null,
    codeChallenge: properties.codeChallenge ?? null,
    codeChallengeMethod: properties.codeChallengeMethod ?? null,
    rotatedToken: null,
  };
}

function rowsOf(token: Unsaved<Token>, client: Client, user: User): Row[] {
  const rows = [row('access', token.accessToken, token.accessTokenExpiresAt, token, client, user)];
  if (token.refreshToken) {
    // The refresh token keeps its full scope if the client requested a narrower scope for the access token.
    const properties = { ...token, scope: token.refreshTokenScope ?? token.scope };
    rows.push(row('refresh', token.refreshToken, token.refreshTokenExpiresAt, properties, client, user));
  }
  return rows;
}
