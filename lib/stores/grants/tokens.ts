import type { RevocationModel } from '../../features/revocation.js';
import type { TokenExchangeModel } from '../../features/token-exchange/exchange-model.js';
import type {
  AccessTokenModel,
  AuthorizationCode,
  RefreshToken,
  RefreshTokenModel,
  Token,
  TokenModel,
  Unsaved,
  User,
} from '../../model/model.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import { digest } from '../clients/client-secret.js';
import type { PasswordMarked } from '../clients/password-mark.js';
import { snapshotOf } from '../clients/client-snapshot.js';
import { type SubjectTokenReference, subjectTokenReference, userOfExchangedToken } from './exchanged-token.js';
import type { Grants } from './grants.js';
import type { StoredClient } from '../contract/ports.js';
import { dataOf, withCurrentScopes, tokenRows, consumedRow } from '../clients/rows.js';
import type { StoreContext } from '../clients/store-context.js';

/** The part of a store that stores access tokens and refresh tokens. */
export class Tokens
  implements
    TokenModel<StoredClient>,
    AccessTokenModel<StoredClient>,
    RefreshTokenModel<StoredClient>,
    RevocationModel,
    Pick<TokenExchangeModel<StoredClient>, 'saveExchangedToken'>
{
  constructor(
    private readonly context: Pick<StoreContext, 'storage' | 'users'>,
    private readonly grants: Grants,
  ) {}

  /** Saves an access token, and its refresh token if it has one. Returns the token with its client and user. */
  async saveToken(token: Unsaved<Token>, client: StoredClient, user: User): Promise<Token<StoredClient>> {
    const { grant, rows } = tokenRows(await this.grants.prepare(token, client, user), client, user);
    await this.context.storage.save(grant, rows);
    return { client, user, ...token };
  }

  /**
   * Saves a token with a reference to its subject token. When the subject token or its grant is revoked, the saved
   * token is revoked too. RFC 8693
   */
  async saveExchangedToken(
    subject: Token | RefreshToken,
    token: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient>> {
    const marked = await this.grants.prepare(token, client, user);
    const { grant, rows } = tokenRows(marked, client, user);
    for (const row of rows) {
      row.data = dataOf(marked, { ...snapshotOf(client), exchangedFor: subjectTokenReference(subject, client, user) });
    }
    await this.context.storage.save(grant, rows);
    return { client, user, ...token };
  }

  /**
   * Marks an authorization code or refresh token as used and saves the new tokens, in one step. If the grant is revoked
   * at the same time, the returned token is never valid, as if the grant had been revoked a moment later.
   * @returns the new token for exactly one of several concurrent callers, otherwise `undefined`
   */
  async redeem(
    used: AuthorizationCode | RefreshToken,
    { rotatedToken, ...token }: Unsaved<Token>,
    client: StoredClient,
    user: User,
  ): Promise<Token<StoredClient> | undefined> {
    // The new token gets the password mark of the code or refresh token, since the user may have a new password since
    // then.
    const marked = this.context.users.credentialOf
      ? { ...token, credential: (used as PasswordMarked).credential }
      : token;
    const { grant, rows } = tokenRows(marked, client, user);
    return (await this.context.storage.consumeAndSave(consumedRow(used, rotatedToken), grant, rows))
      ? { client, user, ...token }
      : undefined;
  }

  /**
   * Returns an access token with its client and user, or `undefined` if it is unknown or was revoked.
   * `accessTokenExpiresAt` may be in the past.
   */
  async getAccessToken(accessToken: string): Promise<Token<StoredClient> | undefined> {
    const row = await this.context.storage.find('access', digest(accessToken));
    if (!row || row.revokedAt !== null) return undefined;
    const stored: Partial<Token<StoredClient>> | undefined = await this.grants.read(row);
    if (!stored) return undefined;
    if (this.context.users.credentialOf) delete (stored as PasswordMarked).credential;
    if (stored['exchangedFor']) {
      const origin = stored['exchangedFor'] as SubjectTokenReference;
      const user = await userOfExchangedToken(this.context, origin, stored.user!);
      if (!user) return undefined;
      stored.user = user;
    }
    const accessTokenExpiresAt = new Date(row.expiresAt);
    return Object.assign(stored, { accessToken, accessTokenExpiresAt }) as Token<StoredClient>;
  }

  /**
   * Returns a stored refresh token. A used one is returned too, with `revokedAt`. Returns `undefined` if it is unknown or
   * revoked, its client is disabled, its client or user no longer exists, or the password of the user was changed.
   */
  async getRefreshToken(refreshToken: string): Promise<RefreshToken<StoredClient> | undefined> {
    const row = await this.context.storage.find('refresh', digest(refreshToken));
    const stored = row && (await this.grants.read(row));
    return stored && { ...withCurrentScopes(stored), refreshToken, refreshTokenExpiresAt: new Date(row.expiresAt) };
  }

  /**
   * Marks a refresh token as used. Returns `true` for exactly one of several concurrent callers, and `false` if it is
   * unknown or already used.
   */
  async revokeToken({ refreshToken }: Pick<RefreshToken, 'refreshToken'>): Promise<boolean> {
    return this.context.storage.consume('refresh', digest(refreshToken));
  }

  /** Revokes one access token. Its grant and its refresh token stay valid. RFC 7009 §2.1 */
  async revokeAccessToken({ accessToken }: Pick<Token, 'accessToken'>): Promise<boolean> {
    const isEnded = await this.context.storage.consume('access', digest(accessToken));
    notifyTokensRevoked({ accessToken });
    return isEnded;
  }
}
