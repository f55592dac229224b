/**
 * The escaped name of a table or column, which is inserted in the text of a statement. Other values are sent as
 * parameters.
 */
export class Identifier {
  private cached?: string;

  /** @param find Returns the escaped name. It is called once, when the name is first needed. */
  constructor(private readonly find: () => string) {}

  get text(): string {
    return (this.cached ??= this.find());
  }
}

/** A statement or a part of one, whose values are kept separate from its text. */
export class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly unknown[],
  ) {}

  /** Returns the text of the statement with a placeholder for each value, and the list of the values. */
  compile(placeholder: (index: number) => string): { text: string; values: unknown[] } {
    const values: unknown[] = [];
    const write = (statement: Sql): string =>
      statement.texts.reduce((text, next, index) => text + part(statement.values[index - 1]) + next);
    const part = (value: unknown): string => {
      if (value instanceof Sql) return write(value);
      return value instanceof Identifier ? value.text : placeholder(values.push(value));
    };
    return { text: write(this), values };
  }
}

/**
 * Builds a statement or a part of one from a template. Embedded values become parameters, unless they are an
 * `Identifier` or an `Sql`, which are inserted in the text.
 */
export function sql(texts: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(texts, values);
}

/** Returns SQL from a text that is inserted as it is. The text must be trusted, such as column names. */
export function rawSql(text: string): Sql {
  return new Sql([text], []);
}

/** Returns SQL for a value with a cast to a type, for places in which the database cannot infer it. */
export function castTo(value: unknown, type: 'text' | 'bigint' | 'integer' | 'json' | 'signed' | 'char'): Sql {
  return new Sql(['CAST(', ` AS ${type})`], [value]);
}

/** Joins parts of a statement with a separator. Values become parameters, `Sql` fragments are inserted in the text. */
export function join(parts: readonly unknown[], between = ', '): Sql {
  return new Sql(
    ['', ...Array<string>(Math.max(parts.length - 1, 0)).fill(between), ''].slice(0, parts.length + 1),
    parts,
  );
}

/**
 * Returns keys in order, so that the database reads its index in order. Empty keys, which no record has,
 * make their number a power of two, so that few different statements are prepared.
 */
export function paddedKeys(keys: readonly string[]): readonly string[] {
  const sorted = [...new Set(keys)].toSorted();
  const length = 2 ** Math.ceil(Math.log2(sorted.length));
  return Array.from({ length }, (_, index) => sorted[index] ?? '');
}
