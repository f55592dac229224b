import { InvalidArgumentError } from '../errors/index.js';
import { adaptModel } from '../model/adapt-model.js';
import type { CoreClient } from '../model/model.js';
import type { OAuth2ServerOptions } from './options.js';
import { type Defaulted, ENGINE_OPTIONS } from './engine-options.js';

/** The options of one operation, settled: nothing that has a default is left out. */
export type Options = OAuth2ServerOptions<CoreClient> & Required<Pick<OAuth2ServerOptions, Defaulted>>;

/** The options that have a default, with it. */
export const DEFAULTS = Object.fromEntries(
  Object.entries(ENGINE_OPTIONS).flatMap(([name, row]) => ('default' in row ? [[name, row.default]] : [])),
) as Pick<Options, Defaulted>;

/** `given` over `defaults`; an option given as `undefined` erases nothing. */
export function withDefaults<T extends object>(defaults: T, given: object): T {
  const settled: T = { ...defaults };
  for (const key of Object.keys(given) as (keyof T)[]) {
    const value = (given as T)[key];
    if (value !== undefined && key !== '__proto__') settled[key] = value;
  }
  return settled;
}

/** The options of one operation: those given over the defaults, with a model that can be called in one way. */
export function resolveOptions(defaults: Options, given: { model?: unknown }): Options {
  const settled = withDefaults(defaults, given);
  if (given.model === undefined) return settled;
  if (typeof given.model !== 'object' || given.model === null) {
    throw new InvalidArgumentError('Invalid parameter: `model`');
  }
  settled.model = adaptModel(settled.model);
  return settled;
}
