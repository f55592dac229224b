import { FOREVER } from '../../tokens/lifetime.js';
import type { Kind } from '../storage.js';

/** What everything is called in Redis. */
export class Keys {
  constructor(readonly prefix: string) {}

  row(kind: Kind | 'once', digest: string): string {
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

  /** The lists a grant stands on. */
  lists(clientId: string, userId: string | null): string[] {
    const lists = [this.grantsOf('client', clientId)];
    if (userId !== null) lists.push(this.grantsOf('user', userId));
    return lists;
  }
}

/** Milliseconds until a moment, as Redis counts them by its own clock; '' for ever. */
export function timeToLive(moment: number): string {
  return moment >= FOREVER ? '' : String(Math.max(0, moment - Date.now()));
}
