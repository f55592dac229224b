/** A cell of a table: a text, a time, or nothing. */
type Cell = string | Date | undefined;

/** The entries that a command lists. */
export interface Table {
  /** The headers of the columns, shown on a terminal only. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** The sentence that a terminal shows if there are no rows, such as "No sessions." */
  readonly empty: string;
}

/** Returns the rows for programs: cells separated by tabs, times in ISO 8601. Returns no line for an empty table. */
export function tabbedLines({ rows }: Table): string[] {
  return rows.map((cells) => cells.map(cellText).join('\t').trimEnd());
}

const cellText = (cell: Cell) => (cell instanceof Date ? cell.toISOString() : (cell ?? ''));

/** Returns the rows for a terminal: headers, aligned columns, and times of the local time zone without seconds. */
export function alignedLines({ columns, rows, empty }: Table): string[] {
  if (rows.length === 0) return [empty];
  const texts = rows.map((cells) => cells.map((cell) => (cell instanceof Date ? localTime(cell) : (cell ?? ''))));
  return aligned([columns.map((column) => column.toUpperCase()), ...texts]);
}

/** Returns the rows with columns of equal width, separated by two spaces. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns a time of the local time zone, such as `2026-03-01 12:00`. */
function localTime(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace('T', ' ');
}

/** Breaks a text into lines of at most `width` characters. A longer word is a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
