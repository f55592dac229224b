import type { Capabilities, Capability, CollectedCapability } from '../contracts/capability.js';
import type { Feature } from '../contracts/feature.js';
import { assertConfig, configurationError } from '../errors/configuration-error.js';
import { featureName } from '../contracts/feature-name.js';
import { type Injection, INSTANCES, plainInstance } from '../contracts/injection.js';

interface Provided {
  readonly feature: Feature;
  readonly make: () => unknown;
  isBeingMade: boolean;
  made?: { readonly value: unknown };
  /** Whether a framework makes the value, after the server. */
  readonly isInjected?: boolean;
}

/** The values that the features of one server provide, contribute and require, by capability key. */
export class CapabilityRegistry implements Capabilities {
  private readonly provided = new Map<string, Provided>();
  private readonly contributed = new Map<string, unknown[]>();
  private readonly required: { key: Capability<unknown>; feature: Feature }[] = [];

  /**
   * Registers a value that a feature provides under a capability key.
   * @throws {InvalidArgumentError} If another feature provides the same capability key.
   */
  provide(feature: Feature, key: Capability<unknown>, make: () => unknown, isInjected = false): void {
    const other = this.provided.get(key.name)?.feature;
    if (other) {
      const both = `${featureName(other)} and ${featureName(feature)}`;
      throw configurationError(`the features ${both} both provide ${key.name}: remove one of them`);
    }
    this.provided.set(key.name, { feature, make, isBeingMade: false, isInjected });
  }

  /**
   * Provides the instance of an option: the one that the framework makes or, without a framework, the option itself.
   * @throws {InvalidArgumentError} If the server has no framework and the option is not an instance with its methods.
   */
  inject(feature: Feature, injection: Injection): void {
    const instances = this.find(INSTANCES);
    const own = instances ? undefined : plainInstance(feature, injection);
    this.provide(feature, injection.key, () => own ?? instances!.get(injection), true);
  }

  contribute(key: CollectedCapability<unknown>, value: unknown): void {
    const values = this.contributed.get(key.name);
    if (values) values.push(value);
    else this.contributed.set(key.name, [value]);
  }

  require(feature: Feature, key: Capability<unknown>): void {
    this.required.push({ key, feature });
  }

  find<T>(key: Capability<T>): T | undefined {
    const entry = this.provided.get(key.name);
    return entry && (this.valueOf(entry) as T);
  }

  all<T>(key: CollectedCapability<T>): readonly T[] {
    return (this.contributed.get(key.name) ?? []) as T[];
  }

  /**
   * Returns the configuration error for the first required capability that no feature provides. `undefined` if none is
   * missing.
   */
  findMissing(): string | undefined {
    const missing = this.required.find(({ key }) => !this.provided.has(key.name));
    return (
      missing && `${featureName(missing.feature)} requires \`${missing.key.providedBy}()\`: add it to \`features\``
    );
  }

  /**
   * Creates all provided values that were not used yet, because creating them may have side effects such as
   * subscriptions.
   */
  makeAll(): void {
    for (const entry of this.provided.values()) if (!entry.isInjected) this.valueOf(entry);
  }

  private valueOf(entry: Provided): unknown {
    if (entry.isInjected) return entry.make();
    if (!entry.made) {
      assertConfig(!entry.isBeingMade, `the value that ${featureName(entry.feature)} provides depends on itself`);
      entry.isBeingMade = true;
      try {
        entry.made = { value: entry.make() };
      } finally {
        entry.isBeingMade = false;
      }
    }
    return entry.made.value;
  }
}
