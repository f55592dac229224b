/**
 * A queue in which the writes of a process to one SQLite database wait for each other. Each turn begins in its own turn
 * of the event loop: libsql is synchronous, so that many waiting writes would otherwise delay all requests, and nothing
 * could close the connections that libsql leaves behind.
 */
export class WriteTurns {
  /** Whether a statement may be open that found the file locked. */
  hasOpenStatement = false;
  private last: Promise<void> = Promise.resolve();

  /** Waits for all earlier turns. Returns a function that ends this turn. */
  async next(): Promise<() => void> {
    const previous = this.last;
    let end!: () => void;
    this.last = new Promise((resolve) => (end = () => void setImmediate(resolve)));
    await previous;
    return end;
  }
}

const turns = new WeakMap<object, WriteTurns>();

/** Returns the queue of a database client. All stores on the client share it. */
export function writeTurns(client: object): WriteTurns {
  let existing = turns.get(client);
  if (!existing) turns.set(client, (existing = new WriteTurns()));
  return existing;
}
