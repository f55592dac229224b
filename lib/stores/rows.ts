import { isClientItself, isGenuineClientItself } from '../tokens/client-subject.js';
import { InvalidArgumentError } from '../errors/index.js';
import type { AuthorizationCode, RefreshToken, Token, Unsaved, User } from '../model/model.js';
import { FOREVER } from '../tokens/lifetime.js';
import { newGrantId } from '../tokens/opaque.js';
import { scopeText, withinScope } from '../tokens/scope.js';
import { TOKEN_FIELDS } from '../tokens/token-fields.js';
import { digest } from './client-secret.js';
import type { PasswordMarked } from './password-mark.js';
import { type ClientSnapshot, snapshotOf, snapshotText } from './client-snapshot.js';
import type { StoredClient } from './ports.js';
import { verifyUserId } from './user-records.js';
import type { StoredRow, GrantRow, RowKind, Row, ConsumedRow } from './storage.js';

/** What hangs on a grant, as the engine hands it over. */
type IssuedFields = Pick<Token, 'scope' | 'grantId' | 'issuer'>;

/** The grant that something is issued on. */
export function grantRow(
  { scope, issuer, grantId = newGrantId(), credential }: IssuedFields & PasswordMarked,
  client: StoredClient,
  user: User,
): GrantRow {
  const now = Date.now();
  return {
    id: grantId,
    clientId: client.id,
    userId: userId(user),
    issuer: issuer ?? null,
    scope: scopeText(scope) ?? null,
    data: credential === undefined ? snapshotText(client) : JSON.stringify({ ...snapshotOf(client), credential }),
    createdAt: now,
    lastUsedAt: null,
    expiresAt: now,
  };
}

/** Something that hangs on a grant, which from now on lasts as long as this does. */
export function rowOf(grant: GrantRow, kind: RowKind, secret: string, expiresAt: Date | undefined): Row {
  const moment = expiresAt?.getTime() ?? FOREVER;
  grant.expiresAt = Math.max(grant.expiresAt, moment);
  const { id: grantId, clientId, userId: owner, issuer, scope } = grant;
  const shared = { grantId, clientId, userId: owner, issuer, scope };
  return { kind, digest: digest(secret), ...shared, data: null, expiresAt: moment };
}

/** The rows of a token, and the grant they hang on. */
export function tokenRows(token: Unsaved<Token>, client: StoredClient, user: User): { grant: GrantRow; rows: Row[] } {
  const { accessToken, accessTokenExpiresAt, refreshToken, refreshTokenExpiresAt } = token;
  const grant = grantRow(token, client, user);
  const data = dataOf(token, snapshotOf(client));
  grant.lastUsedAt = grant.createdAt;
  const rows = [rowOf(grant, 'access', accessToken, accessTokenExpiresAt)];
  if (refreshToken) {
    const refresh = rowOf(grant, 'refresh', refreshToken, refreshTokenExpiresAt);
    // A client that refreshed for less keeps the right to the rest. RFC 6749 §6
    refresh.scope = scopeText(token.refreshTokenScope) ?? grant.scope;
    rows.push(refresh);
  }
  for (const row of rows) row.data = data;
  if (refreshToken && token.grantedAt)
    rows[1]!.data = dataOf(token, { ...snapshotOf(client), grantedAt: token.grantedAt.getTime() });
  grant.expiresAt = Math.max(...rows.map(({ expiresAt }) => expiresAt));
  return { grant, rows };
}

/** Everything else that is kept with a code or token, flat, as JSON: what a later feature keeps needs no new column. */
export function dataOf(issued: object, more?: Record<string, unknown>): string | null {
  let data: Record<string, unknown> | undefined = more;
  for (const name of Object.keys(issued)) {
    const value = (issued as Record<string, unknown>)[name];
    if (TOKEN_FIELDS.has(name) || value === undefined || value === null || typeof value === 'function') continue;
    (data ??= {})[name] = value;
  }
  return data ? JSON.stringify(data) : null;
}

/** A code or refresh token that is to be spent, with what is kept beside it from then on. */
export function consumedRow(used: AuthorizationCode | RefreshToken, rotatedToken: string | undefined): ConsumedRow {
  const key: ConsumedRow =
    'refreshToken' in used
      ? { kind: 'refresh', digest: digest(used.refreshToken) }
      : { kind: 'code', digest: digest(used.authorizationCode) };
  if (rotatedToken !== undefined) key.data = dataOf(used, { ...snapshotOf(used.client), successor: rotatedToken })!;
  return key;
}

/** What everything that hangs on a grant has in common, as it is found. */
export type StoredTokenFields = Pick<
  RefreshToken<StoredClient>,
  'client' | 'user' | 'scope' | 'grantId' | 'issuer' | 'grantedAt' | 'revokedAt' | 'revokedAgo'
>;

/** A row as the engine knows it. */
export function readTokenFields(row: StoredRow, client: StoredClient, user: User): StoredTokenFields {
  const { scope, grantId, issuer, data, revokedAt, revokedAgo } = row;
  const found: StoredTokenFields = { client: withoutSecrets(client), user, scope: scope ?? undefined, grantId };
  if (issuer) found.issuer = issuer;
  if (revokedAt !== null) {
    found.revokedAt = new Date(revokedAt);
    if (revokedAgo !== undefined) found.revokedAgo = revokedAgo / 1000;
  }
  if (data === null) return found;
  const { describedClient, ...kept } = JSON.parse(data) as ClientSnapshot;
  return { ...kept, ...found };
}

/** The same of what more is granted for: without the scopes that its client has no longer. */
export function withCurrentScopes(found: StoredTokenFields): StoredTokenFields {
  found.scope = withinScope(found.scope, found.client.scopes);
  if (found.grantedAt !== undefined) found.grantedAt = new Date(found.grantedAt);
  return found;
}

/** A client as it leaves a store. */
export function withoutSecrets({ secret, secretHashes, registration, ...client }: StoredClient): StoredClient {
  return client;
}

function userId(user: User): string | null {
  if (isGenuineClientItself(user)) return null;
  const id: unknown = user['id'];
  if (isClientItself(user)) throw new InvalidArgumentError(`Invalid argument: no user may have the \`id\` of a client`);
  // Users without ids would be one and the same user.
  if ((typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') || id === '' || Number.isNaN(id)) {
    throw new InvalidArgumentError('Invalid argument: the `id` of a user must be a string or a number');
  }
  verifyUserId(String(id));
  return String(id);
}
