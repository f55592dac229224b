import type { StoredClient } from '../ports.js';
import type { ClientPage, ClientStorage, ClientRecord } from '../storage.js';

/** A client in memory: it is replaced as a whole, never changed. */
interface MemoryClient {
  client: StoredClient;
  createdAt: number;
}

/** Clients in a map. */
export class MemoryClients implements ClientStorage {
  private readonly clients: Map<string, MemoryClient>;
  private readonly generations = new Map<string, number>();
  private readonly removed = new Set<string>();

  constructor(clients: readonly StoredClient[]) {
    const createdAt = Date.now();
    this.clients = new Map(clients.map((client) => [client.id, { client, createdAt }]));
  }

  findClient(id: string): ClientRecord | undefined {
    const kept = this.clients.get(id);
    return kept && { client: kept.client, createdAt: kept.createdAt, readAt: Date.now(), version: kept };
  }

  saveClient(client: StoredClient, found: ClientRecord | undefined, endsGrants: boolean): boolean {
    if (this.clients.get(client.id) !== found?.version) return false;
    // As a database keeps it: what the host does to its own objects changes nothing here.
    const copy = JSON.parse(JSON.stringify(client)) as StoredClient;
    this.clients.set(client.id, { client: copy, createdAt: found?.createdAt ?? Date.now() });
    if (endsGrants) this.endGeneration(client.id);
    return true;
  }

  addNewClient(client: StoredClient): boolean {
    return !this.removed.has(client.id) && this.saveClient(client, undefined, false);
  }

  removeClient(id: string): boolean {
    const removed = this.clients.delete(id);
    this.removed.add(id);
    // One that comes back by this id must not wake the grants of this one.
    if (removed) this.endGeneration(id);
    return removed;
  }

  listClients(after: string, limit: number): ClientPage {
    const ids = [...this.clients.keys()].filter((id) => id > after).toSorted();
    const clients = ids.slice(0, limit).map((id) => this.findClient(id)!);
    return ids.length > limit ? { clients, next: ids[limit - 1]! } : { clients };
  }

  readClock(): number {
    return Date.now();
  }

  protected endGeneration(id: string): void {
    this.generations.set(id, this.generationOf(id) + 1);
  }

  /** How often the grants of a client were ended: none, for as long as those of no client ever were. */
  protected generationOf(id: string): number {
    return this.generations.size === 0 ? 0 : (this.generations.get(id) ?? 0);
  }
}
