/**
 * A typed key under which one feature of a server provides a value to others, such as the signing keys. Keys are
 * compared by name, so that the ES module and CommonJS builds of the package work together.
 */
export interface Capability<T> {
  readonly name: string;
  /** The `id` of the feature that provides it. A start-up error names this feature if another one requires it. */
  readonly providedBy: string;
  /** Carries the type only. It is never set. */
  readonly type?: T;
}

/** A typed key under which any number of features contribute one value each. */
export interface CollectedCapability<T> {
  readonly name: string;
  /** Carries the type only. It is never set. */
  readonly type?: T;
}

/** Returns a key for a value that one feature of a server provides. */
export const capability = <T>(name: string, providedBy: string): Capability<T> => ({ name, providedBy });

/** Returns a key for values that several features of a server contribute. */
export const collectedCapability = <T>(name: string): CollectedCapability<T> => ({ name });

/** A value that a feature declares under a typed key before a server exists. Framework adapters read it. */
export interface Declaration {
  readonly key: string;
  readonly value: unknown;
}

/** Returns an entry for the member `declares` of a feature. */
export const declaration = <T>(key: Capability<T>, value: T): Declaration => ({ key: key.name, value });

/** Returns the value that the first of these features declares under the key. */
export const findDeclared = <T>(
  features: readonly { readonly declares?: readonly Declaration[] }[],
  key: Capability<T>,
): T | undefined =>
  features.flatMap(({ declares = [] }) => declares).find((one) => one.key === key.name)?.value as T | undefined;

/** The capabilities of a server, once all of its features are installed. */
export interface Capabilities {
  /**
   * Returns the value that a feature provides under the key, or `undefined` if no feature of the server provides it.
   */
  find<T>(key: Capability<T>): T | undefined;
  /** Returns the values that features contribute under the key, in the order of the features. */
  all<T>(key: CollectedCapability<T>): readonly T[];
}
