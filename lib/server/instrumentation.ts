import type { Instrumentation } from '../contracts/instrumentation.js';
import { configurationError } from '../errors/configuration-error.js';
import { combineSinks } from '../events/events.js';
import { isObject } from '../http/is-object.js';
import type { Options } from '../options/resolve-options.js';

const MEMBERS = ['around', 'wrapModel', 'events'] as const;

/** Returns the configuration error of the server option `instrumentation`. `undefined` if it is valid. */
export function findInstrumentationError(option: unknown): string | undefined {
  for (const one of [option].flat()) {
    if (typeof one === 'function') return `the option \`instrumentation\` is a function: call it, as \`${one.name}()\``;
    if (!isObject(one) || !MEMBERS.some((member) => one[member] !== undefined)) {
      return 'the option `instrumentation` must be an object with `around()`, `wrapModel()` or `events`, or a list of such objects';
    }
    const invalid = (['around', 'wrapModel'] as const).find((member) => !isFunctionOrUnset(one[member]));
    if (invalid !== undefined) return `\`${invalid}\` of the option \`instrumentation\` must be a function`;
    const { events } = one as Instrumentation;
    if (events !== undefined && typeof events.emit !== 'function') {
      return '`events` of the option `instrumentation` must be an object with a method `emit()`';
    }
  }
  return undefined;
}

const isFunctionOrUnset = (value: unknown) => value === undefined || typeof value === 'function';

/**
 * Returns the configuration error for an entry of `features` that belongs in the option `instrumentation`. `undefined`
 * for any other entry.
 */
export function findMisplacedInstrumentation(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  const has = (name: string) => typeof entry[name] === 'function';
  if (typeof entry['id'] !== 'string') {
    return has('around') || has('wrapModel')
      ? '`features` contains an instrumentation: pass it in its own option, as `instrumentation: telemetry()`'
      : undefined;
  }
  const old = (['observe', 'observeModel'] as const).find(has);
  const fix = 'pass an object with `around()` or `wrapModel()` in the option `instrumentation`';
  return old && `\`${old}\` of the feature \`${entry['id']}\` has no effect: ${fix}`;
}

/**
 * Returns the instrumentations in the option `instrumentation`, as a list. Empty if the option is omitted.
 * @throws {InvalidArgumentError} If the option is invalid.
 */
export function instrumentationsOf(option: unknown): readonly Instrumentation[] {
  const error = option === undefined ? undefined : findInstrumentationError(option);
  if (error !== undefined) throw configurationError(error);
  return option === undefined ? [] : ([option].flat() as Instrumentation[]);
}

/**
 * Returns the options with a model that all instrumentations have wrapped, and with event sinks that also include
 * theirs. Without instrumentations, the options are returned unchanged.
 */
export function instrumentedOptions(options: Options, all: readonly Instrumentation[]): Options {
  const sinks = all.flatMap(({ events = [] }) => events);
  const wrapping = all.filter((one) => one.wrapModel !== undefined);
  if (sinks.length + wrapping.length === 0) return options;
  const model = wrapping.reduceRight((inner, one) => one.wrapModel!(inner), options.model);
  return { ...options, model, events: combineSinks([options.events ?? [], sinks].flat()) };
}
