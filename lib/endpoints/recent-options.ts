/** Maximum number of remembered options. A call compares its options with each of them. */
const MAX_RECENT = 8;

/** The options of a call, and what was created for them. */
interface Entry<O> {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  readonly result: O;
}

/**
 * Remembers what was created for recent options of calls, if these are plain objects of texts, numbers, booleans and
 * lists of texts. Callers often create a new object with the same values for each call.
 */
export class RecentOptions<O> {
  private readonly entries: Entry<O>[] = [];

  /** Returns what was created for options with the same values, in the same order. */
  find(options: object): O | undefined {
    if (!isPlain(options)) return undefined;
    // Includes names that are not enumerable, which copies of remembered options do not have.
    const names = Object.getOwnPropertyNames(options);
    for (const entry of this.entries) if (isSame(names, options as Values, entry)) return entry.result;
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
  if (!isPlain(options) || Object.getOwnPropertyNames(options).length !== Object.keys(options).length) return undefined;
  const copy: object = { ...options };
  return Object.values(copy).every(isComparable) ? structuredClone(copy) : undefined;
}

const isPlain = (options: object) => Object.getPrototypeOf(options) === Object.prototype;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const isComparable = (value: unknown): boolean =>
  isList(value)
    ? value.every((one) => typeof one === 'string')
    : ['string', 'number', 'boolean', 'undefined'].includes(typeof value);

function isSame<O>(names: readonly string[], options: Values, entry: Entry<O>): boolean {
  if (names.length !== entry.names.length) return false;
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    if (name !== entry.names[index] || !isSameValue(options[name], entry.values[index])) return false;
  }
  return true;
}

const isSameValue = (value: unknown, known: unknown): boolean =>
  value === known ||
  (isList(known) &&
    isList(value) &&
    value.length === known.length &&
    known.every((one, index) => one === value[index]));
