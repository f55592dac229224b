/** Where a store saves its data: the connection, and the prefix of its tables or keys. */
interface StorageLocation {
  readonly connection: object;
  readonly prefix: string | undefined;
}

const locations = new WeakMap<object, StorageLocation>();

/**
 * Registers where a store saves its data.
 * @param connection the connection, `DataSource` or client object that the store uses
 * @param prefix the prefix of the tables or keys that the store uses
 */
export function registerStorageLocation(store: object, connection: object, prefix?: string): void {
  locations.set(store, { connection, prefix });
}

/**
 * Whether two models save their data in the same storage location. `false` if the location of one of them was not
 * registered.
 */
export function hasSameStorage(one: object, other: object): boolean {
  if (one === other) return true;
  const [first, second] = [locations.get(one), locations.get(other)];
  return first !== undefined && first.connection === second?.connection && first.prefix === second.prefix;
}
