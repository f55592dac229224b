/** The receiver of a message. */
export interface Receiver {
  host: string;
  clientId: string;
}

interface HostCounts {
  total: number;
  clients: Map<string, number>;
}

/**
 * Limits the number of messages in total and per host. A host gets another message only while it has fewer messages
 * than the total limit leaves free, and a client only while it has fewer than the limit of its host leaves free. A
 * single client can therefore use half of the limit of its host, and n busy clients leave a part of n + 1 to another.
 */
export class FairQuota {
  private readonly hosts = new Map<string, HostCounts>();
  private total = 0;

  constructor(
    private readonly limit: number,
    private readonly perHost: number,
  ) {}

  /** Counts a message, and returns `true`, if the limits allow it. */
  take(receiver: Receiver): boolean {
    const { total = 0, clients } = this.hosts.get(receiver.host) ?? {};
    if (total >= Math.min(this.perHost, this.limit - this.total)) return false;
    if ((clients?.get(receiver.clientId) ?? 0) >= this.perHost - total) return false;
    this.add(receiver);
    return true;
  }

  /** Counts a message without a check of the limits. */
  add({ host, clientId }: Receiver): void {
    const counts = this.hosts.get(host) ?? { total: 0, clients: new Map<string, number>() };
    counts.total += 1;
    counts.clients.set(clientId, (counts.clients.get(clientId) ?? 0) + 1);
    this.hosts.set(host, counts);
    this.total += 1;
  }

  /** Removes a message from the count, if it was counted. */
  release({ host, clientId }: Receiver): void {
    const counts = this.hosts.get(host);
    const own = counts?.clients.get(clientId);
    if (!counts || own === undefined) return;
    counts.total -= 1;
    this.total -= 1;
    if (own > 1) counts.clients.set(clientId, own - 1);
    else counts.clients.delete(clientId);
    if (counts.total === 0) this.hosts.delete(host);
  }
}
