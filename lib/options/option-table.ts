import { configurationError } from '../errors/configuration-error.js';
import { isObject } from '../http/is-object.js';
import { assertKnownOptions, findUnknownOption } from './unknown-option.js';

/**
 * A function that validates the value of an option of a feature. It returns a configuration error, or `undefined` if
 * the value is valid.
 * @param name The name of the option.
 * @param owner The function or option that takes the options, as a developer writes it, such as `` `dpop()` ``.
 */
export type AnyValueCheck = (value: unknown, name: string, owner: string) => string | undefined;

/** A check whose valid values have exactly the type `T`, so that the compiler compares it with the option's type. */
export type ValueCheck<T> = AnyValueCheck & { readonly type?: (value: T) => T };

/** The validation and the default of an option. */
export interface OptionRow<T> {
  readonly check: ValueCheck<T>;
  readonly default?: T;
  /** The required value, if the option cannot be omitted. */
  readonly required?: string;
  /** The remedy, if the option is set to `undefined`. If omitted, that is the same as an omitted option. */
  readonly unset?: string;
}

/** A row of any option. */
type AnyRow = Omit<OptionRow<unknown>, 'check'> & { readonly check: AnyValueCheck };

/** A row for each option of an interface. A missing option does not compile. */
export type OptionRows<O> = { readonly [K in keyof O]-?: OptionRow<Exclude<O[K], undefined>> };

/** The names of the options that have a default. */
type Defaulted<Rows> = { [K in keyof Rows]: Rows[K] extends { default: unknown } ? K : never }[keyof Rows];

/** Returns the option as error messages name it. No message has `of` twice. */
export const optionOf = (name: string, owner: string) =>
  `\`${name}\` ${owner.includes('` of ') ? 'in' : 'of'} ${owner}`;

/** Options with their defaults. */
export type SettledBy<O, Rows> = O & { [K in Defaulted<Rows> & keyof O]-?: Exclude<O[K], undefined> };

/** The options `O` with the defaults of a table. */
export type SettingsOf<O, Table> = Table extends OptionTable<infer Rows> ? SettledBy<O, Rows> : never;

/** The options of a feature: their names, validation and defaults. */
export interface OptionTable<Rows> {
  /** Yields a configuration error for an unknown option, and for each invalid option. */
  findErrors(options: object): Iterable<string>;
  /** Returns the options with their defaults. It validates nothing. */
  settle<O extends object>(options: O): SettledBy<O, Rows>;
  /**
   * Verifies that the options are an object with known names only.
   * @throws {InvalidArgumentError} If they are not.
   */
  assertKnown(options: object): void;
  /**
   * Validates the options, and returns them with their defaults.
   * @throws {InvalidArgumentError} If an option is unknown, missing or invalid.
   */
  read<O extends object>(options: O): SettledBy<O, Rows>;
}

/**
 * Returns the table of the options of a feature. Write the rows with `satisfies OptionRows<…>`.
 * @param owner The function or option that takes the options, as a developer writes it, such as `` `dpop()` ``.
 */
export function optionTable<const Rows extends Readonly<Record<string, AnyRow>>>(
  owner: string,
  rows: Rows,
): OptionTable<Rows> {
  const names = Object.keys(rows);
  const known = Object.fromEntries(names.map((name) => [name, true])) as Record<string, true>;

  function* findErrors(options: object): Iterable<string> {
    const unknown = findUnknownOption(options, known, owner);
    if (unknown !== undefined) yield unknown;
    if (!isObject(options)) return;
    for (const name of names) {
      const error = findError(rows[name]!, name, options);
      if (error !== undefined) yield error;
    }
  }

  function findError({ check, required, unset }: AnyRow, name: string, options: Readonly<Record<string, unknown>>) {
    const value = options[name];
    if (value !== undefined) return check(value, name, owner);
    if (required !== undefined) return `${owner} requires \`${name}\`: ${required}`;
    return unset !== undefined && name in options ? `${optionOf(name, owner)} is not set. ${unset}` : undefined;
  }

  function settle<O extends object>(options: O): SettledBy<O, Rows> {
    const settled: Record<string, unknown> = {};
    for (const name of names) {
      const value = isObject(options) ? options[name] : undefined;
      settled[name] = value === undefined ? rows[name]!.default : value;
    }
    return settled as SettledBy<O, Rows>;
  }

  return {
    findErrors,
    settle,
    assertKnown: (options) => assertKnownOptions(options, known, owner),
    read(options) {
      for (const error of findErrors(options)) throw configurationError(error);
      return settle(options);
    },
  };
}
