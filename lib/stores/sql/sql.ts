/** The escaped name of a table or column. Everything else in a statement is sent as a parameter. */
export class Identifier {
  private cached?: string;

  /** @param find looks the name up, once, when it is first needed */
  constructor(private readonly find: () => string) {}

  get text(): string {
    return (this.cached ??= this.find());
  }
}

/** A statement whose values are kept separate from its text. */
export class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly unknown[],
  ) {}

  /** Returns the text with a placeholder for each value, and the values. */
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
 * Builds a statement. Embedded values become parameters, never text, unless they are an `Identifier` or another
 * statement.
 */
export function sql(texts: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(texts, values);
}

/** Returns SQL from trusted text, such as column names. */
export function rawSql(text: string): Sql {
  return new Sql([text], []);
}

/** Returns a value with a cast, where the database cannot infer its type. */
export function castTo(value: unknown, type: 'text' | 'bigint' | 'integer'): Sql {
  return new Sql(['CAST(', ` AS ${type})`], [value]);
}

/** Joins values or statements with a separator. */
export function join(parts: readonly unknown[], between = ', '): Sql {
  return new Sql(
    ['', ...Array<string>(Math.max(parts.length - 1, 0)).fill(between), ''].slice(0, parts.length + 1),
    parts,
  );
}
