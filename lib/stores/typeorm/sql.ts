/** A table or column by its name as it stands in the database: everything else in a statement is sent as a value. */
export class Identifier {
  private found?: string;

  /** @param find looks the name up; only once, and not before it is needed */
  constructor(private readonly find: () => string) {}

  get text(): string {
    return (this.found ??= this.find());
  }
}

/** A statement whose values travel apart from its text. */
export class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly unknown[],
  ) {}

  /** The text, with a placeholder for each value, and the values. */
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

/** A statement: what is put in is a value, never text, unless it is a `Identifier` or another statement. */
export function sql(texts: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(texts, values);
}

/** Text of our own, such as the names of columns. */
export function rawSql(text: string): Sql {
  return new Sql([text], []);
}

/** A value of which the place it stands in does not tell the type. */
export function castTo(value: unknown, type: 'text' | 'bigint' | 'integer'): Sql {
  return new Sql(['CAST(', ` AS ${type})`], [value]);
}

/** Values or statements, with something between them. */
export function join(parts: readonly unknown[], between = ', '): Sql {
  return new Sql(
    ['', ...Array<string>(Math.max(parts.length - 1, 0)).fill(between), ''].slice(0, parts.length + 1),
    parts,
  );
}
