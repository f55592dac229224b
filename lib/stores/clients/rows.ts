import { isClientItself, isGenuineClientItself } from '../../tokens/client-subject.js';
import { InvalidArgumentError } from '../../errors/index.js';
import type { AuthorizationCode, RefreshToken, Token, Unsaved, User } from '../../model/model.js';
import { FOREVER } from '../../tokens/lifetime.js';
import { newGrantId } from '../../tokens/opaque.js';
import { scopeText, withinScope } from '../../tokens/scope.js';
import { TOKEN_FIELDS } from '../../tokens/token-fields.js';
import { digest } from './client-secret.js';
import type { PasswordMarked } from './password-mark.js';
import { type ClientSnapshot, snapshotOf, snapshotText } from './client-snapshot.js';
import type { StoredClient } from '../contract/ports.js';
import type { StoredRow, GrantKind, GrantRow, RowKind, Row, ConsumedRow } from '../contract/storage.js';

/** The properties of a code or token that are stored in its grant. */
type IssuedFields = Pick<Token, 'scope' | 'grantId' | 'issuer'>;

/** Returns a grant to save. If what it is issued for has no `grantId`, the grant gets a new ID. */
export function grantRow(
  kind: GrantKind,
  { scope, issuer, grantId = newGrantId(), credential }: IssuedFields & PasswordMarked,
  client: StoredClient,
  user: User,
): GrantRow {
  const now = Date.now();
  return {
    id: grantId,
    kind,
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

/**
 * Returns a row of a code, token or other secret, which stores only its digest. If the row expires after the grant,
 * extends the passed grant.
 */
export function rowOf(grant: GrantRow, kind: RowKind, secret: string, expiresAt: Date | undefined): Row {
  const expiry = expiresAt?.getTime() ?? FOREVER;
  grant.expiresAt = Math.max(grant.expiresAt, expiry);
  const { id: grantId, clientId, userId: owner, issuer, scope } = grant;
  const shared = { grantId, clientId, userId: owner, issuer, scope };
  return { kind, digest: digest(secret), ...shared, data: null, expiresAt: expiry };
}

/** Returns the rows of an access token and its refresh token, with their grant. */
export function tokenRows(token: Unsaved<Token>, client: StoredClient, user: User): { grant: GrantRow; rows: Row[] } {
  const { accessToken, accessTokenExpiresAt, refreshToken, refreshTokenExpiresAt } = token;
  const grant = grantRow('tokens', token, client, user);
  const data = dataOf(token, snapshotOf(client));
  grant.lastUsedAt = grant.createdAt;
  const rows = [rowOf(grant, 'access', accessToken, accessTokenExpiresAt)];
  if (refreshToken) {
    const refresh = rowOf(grant, 'refresh', refreshToken, refreshTokenExpiresAt);
    // If the client requested a smaller scope for the access token, the refresh token keeps the whole scope.
    // RFC 6749 §6
    refresh.scope = scopeText(token.refreshTokenScope) ?? grant.scope;
    rows.push(refresh);
  }
  for (const row of rows) row.data = data;
  if (refreshToken && token.grantedAt)
    rows[1]!.data = dataOf(token, { ...snapshotOf(client), grantedAt: token.grantedAt.getTime() });
  grant.expiresAt = Math.max(...rows.map(({ expiresAt }) => expiresAt));
  return { grant, rows };
}

/** Returns the properties of a code or token that have no column of their own, as JSON. `null` if there are none. */
export function dataOf(issued: object, more?: Record<string, unknown>): string | null {
  let data: Record<string, unknown> | undefined = more;
  for (const name of Object.keys(issued)) {
    const value = (issued as Record<string, unknown>)[name];
    if (TOKEN_FIELDS.has(name) || value === undefined || value === null || typeof value === 'function') continue;
    (data ??= {})[name] = value;
  }
  return data ? JSON.stringify(data) : null;
}

/**
 * Returns the key of the row of a code or refresh token that is to be marked as used.
 * @param rotatedToken The encrypted new tokens, if they are to be stored with the used refresh token, so that a retry
 * within the rotation grace period gets the same tokens.
 */
export function consumedRow(used: AuthorizationCode | RefreshToken, rotatedToken: string | undefined): ConsumedRow {
  const key: ConsumedRow =
    'refreshToken' in used
      ? { kind: 'refresh', digest: digest(used.refreshToken) }
      : { kind: 'code', digest: digest(used.authorizationCode) };
  if (rotatedToken !== undefined) key.data = dataOf(used, { ...snapshotOf(used.client), rotatedToken })!;
  return key;
}

/**
 * The properties that authorization codes, access tokens and refresh tokens have in common when a store returns them.
 */
export type StoredTokenFields = Pick<
  RefreshToken<StoredClient>,
  'client' | 'user' | 'scope' | 'grantId' | 'issuer' | 'grantedAt' | 'revokedAt' | 'revokedAgo'
>;

/** Returns the properties of a stored code or token that all kinds have in common, with its client and user. */
export function readTokenFields(row: StoredRow, client: StoredClient, user: User): StoredTokenFields {
  const { scope, grantId, issuer, data, revokedAt, revokedAgo } = row;
  const fields: StoredTokenFields = { client: withoutSecrets(client), user, scope: scope ?? undefined, grantId };
  if (issuer) fields.issuer = issuer;
  if (revokedAt !== null) {
    fields.revokedAt = new Date(revokedAt);
    if (revokedAgo !== undefined) fields.revokedAgo = revokedAgo / 1000;
  }
  if (data === null) return fields;
  const { describedClient, ...properties } = JSON.parse(data) as ClientSnapshot;
  return { ...properties, ...fields };
}

/**
 * Returns the properties of a code or refresh token without scope values that are no longer registered for the client,
 * so that new tokens do not get them.
 */
export function withCurrentScopes(fields: StoredTokenFields): StoredTokenFields {
  fields.scope = withinScope(fields.scope, fields.client.scopes);
  if (fields.grantedAt !== undefined) fields.grantedAt = new Date(fields.grantedAt);
  return fields;
}

/** Returns a client without its secrets and its registration access token, as the methods of a store return it. */
export function withoutSecrets({ secret, secretHashes, registration, ...client }: StoredClient): StoredClient {
  return client;
}

function userId(user: User): string | null {
  if (isGenuineClientItself(user)) return null;
  const id: unknown = user['id'];
  if (isClientItself(user))
    throw new InvalidArgumentError(
      `Invalid argument: the \`id\` of a user must not begin with \`oauth2:client:\`, which is reserved`,
    );
  // Users without an ID would all be taken for the same user.
  if ((typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint') || id === '' || Number.isNaN(id)) {
    throw new InvalidArgumentError('Invalid argument: the `id` of a user must be a non-empty string or a number');
  }
  return String(id);
}
