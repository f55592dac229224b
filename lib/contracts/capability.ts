/**
 * A typed capability key under which one feature of a server provides a value to other features, such as the signing
 * keys. Capability keys are compared by name, so that the ES module and CommonJS builds of the package work together.
 */
export interface Capability<T> {
  readonly name: string;
  /**
   * The `id` of the feature that provides the value. If another feature requires the value and no feature provides it,
   * the start-up error tells the developer to add the feature with this `id`.
   */
  readonly providedBy: string;
  /** Carries the type only. It is never set. */
  readonly type?: T;
}

/** A typed capability key under which any number of features contribute values to one list. */
export interface CollectedCapability<T> {
  readonly name: string;
  /** Carries the type only. It is never set. */
  readonly type?: T;
}

/** Returns a capability key for a value that one feature of a server provides to other features. */
export const capability = <T>(name: string, providedBy: string): Capability<T> => ({ name, providedBy });

/** Returns a capability key under which several features of a server contribute values. */
export const collectedCapability = <T>(name: string): CollectedCapability<T> => ({ name });

/** The values that features of a server provide to each other, by capability key. */
export interface Capabilities {
  /**
   * Returns the value that a feature provides under the capability key, or `undefined` if no feature of the server
   * provides it.
   */
  find<T>(key: Capability<T>): T | undefined;
  /**
   * Returns the values that features contribute under the capability key, in the order of the features. Empty if there
   * are none.
   */
  all<T>(key: CollectedCapability<T>): readonly T[];
}
