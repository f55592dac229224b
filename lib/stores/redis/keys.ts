import { FOREVER } from '../../tokens/lifetime.js';
import type { GrantFilter, GrantKind, GrantRow, RowKind } from '../contract/storage.js';

/** Builds the names of all Redis keys. */
export class Keys {
  constructor(readonly prefix: string) {}

  row(kind: RowKind | 'once' | 'count', digest: string): string {
    return `${this.prefix}${kind}:${digest}`;
  }

  grant(id: string): string {
    return `${this.prefix}grant:${id}`;
  }

  /** Returns the key of the list of the rows that `insertRow()` has inserted for a grant. */
  rowsOf(grantId: string): string {
    return `${this.prefix}rows-of-grant:${grantId}`;
  }

  client(id: string): string {
    return `${this.prefix}client:${id}`;
  }

  text(name: string): string {
    return `${this.prefix}text:${name}`;
  }

  /** The key of the list with the IDs of all clients. */
  get clients(): string {
    return `${this.prefix}clients`;
  }

  /** Returns the key of the list of all grants of a client. */
  ofClient(clientId: string): string {
    return `${this.prefix}grants-of-client:${clientId}`;
  }

  /** Returns the key of the list of the grants of a user that have this kind. */
  ofUser(kind: GrantKind, userId: string): string {
    return `${this.prefix}grants-of-user:${kind}:${userId}`;
  }

  /**
   * Returns the keys of the lists that contain a grant: of its client and of its user, the list of the user last. A
   * session has no client, and so is in no list of a client.
   */
  lists({ kind, clientId, userId }: Pick<GrantRow, 'kind' | 'clientId' | 'userId'>): string[] {
    const lists = clientId === '' ? [] : [this.ofClient(clientId)];
    if (userId !== null) lists.push(this.ofUser(kind, userId));
    return lists;
  }
}

/**
 * Returns the members of a user's list that may record the revocation of a grant: of all grants, of its client, of its
 * issuer, and of its client at its issuer.
 */
export function revocationMembers(clientId: string, issuer: string | null): string[] {
  const names = [revocationMember({}), revocationMember({ clientId })];
  return issuer === null ? names : [...names, revocationMember({ issuer }), revocationMember({ clientId, issuer })];
}

/** Returns the member of a user's list that records the revocation of the grants of this client and issuer. */
export function revocationMember({ clientId, issuer }: Pick<GrantFilter, 'clientId' | 'issuer'>): string {
  if (clientId === undefined) return issuer === undefined ? '\0*' : `\0i${issuer}`;
  return issuer === undefined ? `\0c${clientId}` : `\0b${Buffer.byteLength(clientId)}:${clientId}${issuer}`;
}

/**
 * Whether a grant with this generation is active, by the scores of the `revocationMembers()` of its user. If the first
 * score is missing, no grant of the user is active.
 */
export function isCurrentGeneration(generation: string | null, [all, ...others]: readonly (string | null)[]): boolean {
  if (!generation || !all) return false;
  return [all, ...others].every((score) => score === null || -Number(score) <= Number(generation));
}

/** Returns the milliseconds until a time, as text. Returns `''` for a time that never comes. */
export function timeToLive(time: number): string {
  return time >= FOREVER ? '' : String(Math.max(0, time - Date.now()));
}
