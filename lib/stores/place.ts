/** Where a model keeps what it is given: a connection, and what tells its tables or keys from others there. */
interface Place {
  readonly connection: object;
  readonly prefix: string | undefined;
}

const places = new WeakMap<object, Place>();

/** Says where a store keeps its tokens. */
export function keepsIn(store: object, connection: object, prefix?: string): void {
  places.set(store, { connection, prefix });
}

/** Whether two models are known to store their tokens in the same storage. */
export function isOnePlace(one: object, other: object): boolean {
  if (one === other) return true;
  const [first, second] = [places.get(one), places.get(other)];
  return first !== undefined && first.connection === second?.connection && first.prefix === second.prefix;
}
