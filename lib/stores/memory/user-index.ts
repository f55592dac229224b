import type { GrantFilter, GrantKind, GrantKinds, GrantRow } from '../contract/storage.js';
import type { ExpiringMap } from './expiring-map.js';

/** Finds the grants of a user by their kind. */
export class UserIndex<G extends GrantRow> {
  /** The IDs of grants by the result of `ownerOf()`. Some of these grants may have expired and been removed. */
  private readonly ids = new Map<string, Set<string>>();
  private size = 0;

  constructor(private readonly grants: ExpiringMap<G>) {}

  *grantsOf(userId: string, kinds: GrantKinds): Iterable<G> {
    for (const kind of kinds) {
      for (const id of this.ids.get(ownerOf(kind, userId)) ?? []) {
        const grant = this.grants.get(id);
        if (grant) yield grant;
      }
    }
  }

  add({ id, kind, userId }: GrantRow): void {
    if (userId === null) return;
    const owner = ownerOf(kind, userId);
    const ids = this.ids.get(owner) ?? new Set<string>();
    this.ids.set(owner, ids.add(id));
    this.size += 1;
    // The map removes expired grants without notice. Their IDs are removed when they make up about half of the index.
    if (this.size > 2 * this.grants.size + 1024) this.prune();
  }

  /** Removes a grant, so that nothing names its user. Returns its ID. */
  erase({ id, kind, userId }: GrantRow): string {
    this.grants.delete(id);
    const owner = ownerOf(kind, userId ?? '');
    const ids = this.ids.get(owner);
    if (ids?.delete(id)) this.size -= 1;
    if (ids?.size === 0) this.ids.delete(owner);
    return id;
  }

  /** Removes the IDs of grants that were removed. */
  prune(): void {
    this.size = 0;
    for (const [owner, ids] of this.ids) {
      for (const id of ids) if (!this.grants.get(id)) ids.delete(id);
      if (ids.size === 0) this.ids.delete(owner);
      this.size += ids.size;
    }
  }
}

const ownerOf = (kind: GrantKind, userId: string): string => `${kind} ${userId}`;

/** Whether a grant matches every field of a filter. */
export function isMatch(grant: GrantRow, { kinds, grantId, userId, clientId, issuer }: GrantFilter): boolean {
  return (
    kinds.includes(grant.kind) &&
    (grantId === undefined || grant.id === grantId) &&
    (userId === undefined || grant.userId === userId) &&
    (clientId === undefined || grant.clientId === clientId) &&
    (issuer === undefined || grant.issuer === issuer)
  );
}
