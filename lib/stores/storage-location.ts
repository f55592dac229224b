/** Where a model keeps what it is given: a connection, and what tells its tables or keys from others there. */
interface StorageLocation {
  readonly connection: object;
  readonly prefix: string | undefined;
}

const locations = new WeakMap<object, StorageLocation>();

/** Says where a store keeps its tokens. */
export function registerStorageLocation(store: object, connection: object, prefix?: string): void {
  locations.set(store, { connection, prefix });
}

/** Whether two models are known to store their tokens in the same storage. */
export function hasSameStorage(one: object, other: object): boolean {
  if (one === other) return true;
  const [first, second] = [locations.get(one), locations.get(other)];
  return first !== undefined && first.connection === second?.connection && first.prefix === second.prefix;
}
