import type { CodeRow, Found, GrantRow, TokenRow } from '../storage.js';
import { readClient, storable } from './client-table.js';
import { join, type Sql, sql } from './sql.js';

/** Drivers hand 64 bits over as text, lest some be lost; in milliseconds none are. */
type Milliseconds = number | string | bigint;

export interface GrantRecord {
  id: string;
  client_id: string;
  user_id: string | null;
  scope: string | null;
  created_at: Milliseconds;
  last_used_at: Milliseconds | null;
  expires_at: Milliseconds;
  revoked_at: Milliseconds | null;
}

export interface TokenRecord {
  digest: string;
  grant_id: string;
  client_id: string;
  user_id: string | null;
  scope: string | null;
  expires_at: Milliseconds;
  revoked_at: Milliseconds | null;
  /** The client that came along: null when it is gone; left out when the host keeps the clients. */
  known_id?: string | null;
  metadata?: string | null;
}

export interface CodeRecord extends TokenRecord {
  redirect_uri: string | null;
  code_challenge: string | null;
  code_challenge_method: string | null;
}

export function readGrant(row: GrantRecord): GrantRow {
  return {
    id: row.id,
    clientId: row.client_id,
    userId: row.user_id,
    scope: row.scope,
    createdAt: Number(row.created_at),
    lastUsedAt: moment(row.last_used_at),
    expiresAt: Number(row.expires_at),
    revokedAt: moment(row.revoked_at),
  };
}

export function readToken(row: TokenRecord): Found<TokenRow> {
  const { digest, client_id: clientId, metadata } = row;
  const client = metadata && row.known_id === clientId ? readClient(clientId, metadata) : null;
  return {
    digest,
    grantId: row.grant_id,
    clientId,
    userId: row.user_id,
    scope: row.scope,
    expiresAt: Number(row.expires_at),
    revokedAt: moment(row.revoked_at),
    ...(row.known_id === undefined ? {} : { client }),
  };
}

export function readCode(row: CodeRecord): Found<CodeRow> {
  return {
    ...readToken(row),
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    codeChallengeMethod: row.code_challenge_method,
  };
}

const moment = (value: Milliseconds | null) => (value === null ? null : Number(value));

export function grantValues(grant: GrantRow): Sql {
  const { id, clientId, userId, scope, createdAt, lastUsedAt, expiresAt, revokedAt } = grant;
  const owner = userId === null ? null : storable(userId);
  return sql`(${join([id, storable(clientId), owner, scope, createdAt, lastUsedAt, expiresAt, revokedAt])})`;
}

export function tokenValues(token: TokenRow, kind: 'access' | 'refresh'): Sql {
  return sql`(${join([...issued(token), kind])})`;
}

export function codeValues(code: CodeRow): Sql {
  return sql`(${join([...issued(code), code.redirectUri, code.codeChallenge, code.codeChallengeMethod])})`;
}

function issued({ digest, grantId, clientId, userId, scope, expiresAt, revokedAt }: TokenRow): unknown[] {
  return [digest, grantId, clientId, userId, scope, expiresAt, revokedAt];
}
