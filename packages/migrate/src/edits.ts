/** A replacement of a part of a text. The offsets are those of the original text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the edits by their place. Edits at the same place keep their order. */
export const sorted = (edits: readonly Edit[]): Edit[] => edits.toSorted((a, b) => a.start - b.start || a.end - b.end);

/**
 * Returns the text with all edits.
 * @throws {Error} If two edits overlap.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let position = 0;
  for (const { start, end, text: replacement } of sorted(edits)) {
    if (start < position) throw new Error(`Two edits overlap at offset ${start}`);
    result += text.slice(position, start) + replacement;
    position = end;
  }
  return result + text.slice(position);
}

/** Returns the one edit that changes `before` to `after`, or no edit if they are equal. */
export function editBetween(before: string, after: string): Edit[] {
  if (before === after) return [];
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let tail = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (tail < shorter && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [{ start, end: before.length - tail, text: after.slice(start, after.length - tail) }];
}

/** Returns the line break that a text uses. */
export const lineBreakOf = (text: string): '\r\n' | '\n' => (/\r\n/.test(text) ? '\r\n' : '\n');

/** Returns the white space at the start of the line that contains the offset. */
export function indentAt(text: string, offset: number): string {
  const line = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, offset))![0];
}

/** Returns the number of the line that contains the offset. The first line is 1. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
