import { FOREVER } from '../../tokens/lifetime.js';
import type { GrantFilter, RowKind } from '../storage.js';

/** What everything is called in Redis. */
export class Keys {
  constructor(readonly prefix: string) {}

  row(kind: RowKind | 'once', digest: string): string {
    return `${this.prefix}${kind}:${digest}`;
  }

  grant(id: string): string {
    return `${this.prefix}grant:${id}`;
  }

  client(id: string): string {
    return `${this.prefix}client:${id}`;
  }

  text(name: string): string {
    return `${this.prefix}text:${name}`;
  }

  /** The list of all clients. */
  get clients(): string {
    return `${this.prefix}clients`;
  }

  grantsOf(kind: 'client' | 'user', id: string): string {
    return `${this.prefix}grants-of-${kind}:${id}`;
  }

  /** The lists that hold a grant; the list of its user comes last. A session has no client, so no list of a client holds it. */
  lists(clientId: string, userId: string | null): string[] {
    const lists = clientId === '' ? [] : [this.grantsOf('client', clientId)];
    if (userId !== null) lists.push(this.grantsOf('user', userId));
    return lists;
  }
}

/**
 * The members of a user's list under which endings of grants are recorded: of all grants, of one client, of one issuer, of one
 * client at one issuer. Every ending that would end a grant of this client and issuer is returned.
 */
export function revocationMembers(clientId: string, issuer: string | null): string[] {
  const names = [revocationMember({}), revocationMember({ clientId })];
  return issuer === null ? names : [...names, revocationMember({ issuer }), revocationMember({ clientId, issuer })];
}

/** The member under which the end of these grants of a user is recorded. */
export function revocationMember({ clientId, issuer }: Pick<GrantFilter, 'clientId' | 'issuer'>): string {
  if (clientId === undefined) return issuer === undefined ? '\0*' : `\0i${issuer}`;
  return issuer === undefined ? `\0c${clientId}` : `\0b${Buffer.byteLength(clientId)}:${clientId}${issuer}`;
}

/** Whether a grant of this generation is alive, by the scores of `endings()`. The first must exist. */
export function isCurrentGeneration(generation: string | null, [all, ...others]: readonly (string | null)[]): boolean {
  if (!generation || !all) return false;
  return [all, ...others].every((score) => score === null || -Number(score) <= Number(generation));
}

/** Milliseconds until a moment, as Redis counts them by its own clock; '' for ever. */
export function timeToLive(moment: number): string {
  return moment >= FOREVER ? '' : String(Math.max(0, moment - Date.now()));
}
