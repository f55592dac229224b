import type { StoredClient } from '../contract/ports.js';
import { DAY } from '../contract/schema.js';
import type { ClientPage, ClientRecord, ClientStorage } from '../contract/client-storage.js';

/** A client in memory. It is replaced as a whole and never changed. */
interface MemoryClient {
  client: StoredClient;
  createdAt: number;
}

/** Stores clients in a map. */
export class MemoryClients implements ClientStorage {
  private readonly clients: Map<string, MemoryClient>;
  private readonly generations = new Map<string, number>();
  /** When each removed client was removed. */
  private readonly removed = new Map<string, number>();

  constructor(clients: readonly StoredClient[]) {
    const createdAt = Date.now();
    this.clients = new Map(clients.map((client) => [client.id, { client, createdAt }]));
  }

  findClient(id: string): ClientRecord | undefined {
    const stored = this.clients.get(id);
    return stored && { client: stored.client, createdAt: stored.createdAt, readAt: Date.now(), version: stored };
  }

  saveClient(client: StoredClient, previous: ClientRecord | undefined, revokesGrants: boolean): boolean {
    if (this.clients.get(client.id) !== previous?.version) return false;
    // A copy, as a database makes one: later changes to the object of the application have no effect.
    const copy = JSON.parse(JSON.stringify(client)) as StoredClient;
    this.clients.set(client.id, { client: copy, createdAt: previous?.createdAt ?? Date.now() });
    // A new client must not get the grants of a removed client with its ID.
    if (revokesGrants || (!previous && this.removed.has(client.id))) this.endGeneration(client.id);
    return true;
  }

  addNewClient(client: StoredClient): boolean {
    return !this.removed.has(client.id) && this.saveClient(client, undefined, false);
  }

  removeClient(id: string): boolean {
    const removed = this.clients.delete(id);
    this.removed.set(id, Date.now());
    this.endGeneration(id);
    return removed;
  }

  listClients(after: string, limit: number): ClientPage {
    const start = Buffer.from(after);
    const all = [...this.clients.keys()].map((id) => ({ id, bytes: Buffer.from(id) }));
    const ids = all
      .filter(({ bytes }) => bytes.compare(start) > 0)
      .toSorted((one, other) => one.bytes.compare(other.bytes))
      .map(({ id }) => id);
    const clients = ids.slice(0, limit).map((id) => this.findClient(id)!);
    return ids.length > limit ? { clients, next: ids[limit - 1]! } : { clients };
  }

  readClock(): number {
    return Date.now();
  }

  /** Forgets removed clients of more than a day ago that have no grants any more. Returns how many. */
  protected pruneRemoved(hasGrants: (id: string) => boolean): number {
    let count = 0;
    for (const [id, removedAt] of this.removed) {
      if (removedAt > Date.now() - DAY || this.clients.has(id) || hasGrants(id)) continue;
      this.removed.delete(id);
      this.generations.delete(id);
      count += 1;
    }
    return count;
  }

  protected endGeneration(id: string): void {
    this.generations.set(id, this.generationOf(id) + 1);
  }

  /** Returns how often all grants of a client were revoked at once. `0` if never. */
  protected generationOf(id: string): number {
    return this.generations.size === 0 ? 0 : (this.generations.get(id) ?? 0);
  }
}
