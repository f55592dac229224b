import type { Model } from './model.js';
import { requireMethods } from './require-methods.js';

/** Those of several kinds that a model was found able to serve: each is looked at once. */
export class Served {
  private readonly found = new Set<object>();

  constructor(private readonly model: Model) {}

  /** @throws InvalidArgumentError when the model lacks a method */
  verify(kind: { readonly requires: readonly string[] }): void {
    if (this.found.has(kind)) return;
    requireMethods(this.model, kind.requires);
    this.found.add(kind);
  }
}
