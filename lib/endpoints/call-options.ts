import type { ServerContext } from '../contracts/feature.js';
import { ServerError } from '../errors/index.js';
import { type Options, resolveOptions } from '../options/resolve-options.js';
import { REQUIREMENT_NAMES } from '../options/token-requirements.js';

/** Merges the options of single calls with those of a server. */
export class CallOptions {
  private readonly validators: readonly ((options: Options) => Iterable<string>)[];

  constructor(private readonly server: ServerContext) {
    this.validators = server.installed.flatMap(({ parts }) => parts.callMisconfigurations?.bind(parts) ?? []);
  }

  /**
   * Merges the options of a call with those of the server.
   * @throws {ServerError} If an installed feature, such as a profile, does not allow the merged options.
   */
  merge(given: object): Options {
    const merged = resolveOptions(this.server.options, given);
    // Read inherited and hidden properties too, such as getters of a class: a missed requirement would accept more
    // tokens.
    for (const name of REQUIREMENT_NAMES) {
      const value = (given as Record<string, unknown>)[name];
      if (value !== undefined) merged[name as keyof Options] = value as never;
    }
    for (const validate of this.validators) {
      for (const error of validate(merged)) throw new ServerError(`Server error: ${error}`);
    }
    return merged;
  }
}
