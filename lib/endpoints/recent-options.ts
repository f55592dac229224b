import { types } from 'node:util';

/** Maximum number of remembered options. A call compares its options with each of them. */
const MAX_RECENT = 8;

/** The options of a call, and what was created for them. */
interface Entry<O> {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  readonly result: O;
}

/**
 * Remembers what was created for recent options of calls, if these are plain objects of texts, numbers, booleans, lists
 * of texts and an `authenticateHandler`. Callers often create a new object with the same values for each call.
 */
export class RecentOptions<O> {
  private readonly entries: Entry<O>[] = [];

  /** Returns what was created for options with the same values, in the same order. */
  find(options: object): O | undefined {
    for (const entry of this.entries) if (isSame(options as Values, entry)) return entry.result;
    return undefined;
  }

  /** Remembers what was created for a copy of options. The oldest entry is removed first. */
  remember(copy: object, result: O): void {
    if (this.entries.length === MAX_RECENT) this.entries.shift();
    this.entries.push({ names: Object.keys(copy), values: Object.values(copy), result });
  }
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Copies options that can be remembered, because the caller can change lists later, and getters can return other values.
 * Returns `undefined` for other options.
 */
export function copyComparable(options: object): object | undefined {
  const copy: Record<string, unknown> = { ...options };
  const names = Object.keys(copy);
  if (!hasOnly(names.length, options)) return undefined;
  for (const name of names) {
    const value = copy[name];
    if (isList(value)) copy[name] = [...value];
    // The content of other objects can change. Of the handler, each call uses the current content.
    if (!isComparable(copy[name]) && name !== 'authenticateHandler') return undefined;
  }
  return copy;
}

/**
 * Whether an object is plain, and has no other properties than those that a loop finds, such as inherited or hidden
 * ones. A proxy may return further properties by name.
 */
const hasOnly = (count: number, options: object) =>
  Object.getPrototypeOf(options) === Object.prototype &&
  Object.getOwnPropertyNames(options).length === count &&
  !types.isProxy(options);

/**
 * Whether a value is an ordinary list. The elements of a derived class or a proxy may differ from the values that a
 * loop over it returns.
 */
const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) &&
  Object.getPrototypeOf(value) === Array.prototype &&
  !Object.hasOwn(value, Symbol.iterator) &&
  !types.isProxy(value);

const isComparable = (value: unknown): boolean =>
  isList(value)
    ? value.every((one) => typeof one === 'string')
    : ['string', 'number', 'boolean', 'undefined'].includes(typeof value);

function isSame<O>(options: Values, { names, values }: Entry<O>): boolean {
  let count = 0;
  for (const name in options) {
    if (name !== names[count] || !isSameValue(options[name], values[count])) return false;
    count++;
  }
  return count === names.length && hasOnly(count, options);
}

const isSameValue = (value: unknown, known: unknown): boolean =>
  value === known ||
  (isList(known) &&
    isList(value) &&
    value.length === known.length &&
    known.every((one, index) => one === value[index]));
