import { applyEdits, type Edit, sorted } from './edits.js';

const CONTEXT = 3;

interface Hunk {
  /** The first line, from 0. */
  from: number;
  /** The line after the last. */
  to: number;
  edits: Edit[];
}

/**
 * Returns the unified diff of a file, as `git apply` reads it.
 * @param text the current text. `undefined` for a new file, whose text is `edits[0].text`.
 */
export function unifiedDiff(path: string, text: string | undefined, edits: readonly Edit[]): string {
  if (text === undefined) {
    const lines = linesOf(edits[0]!.text);
    return [`--- /dev/null`, `+++ b/${path}`, `@@ -0,0 +1,${lines.length} @@`, ...lines.map(mark('+'))].join('\n');
  }
  const lines = linesOf(text);
  const starts = lineStarts(text);
  let shift = 0;
  const output = [`--- a/${path}`, `+++ b/${path}`];
  for (const { from, to, edits: inside } of hunksOf(text, starts, edits)) {
    const [first, last] = [Math.max(0, from - CONTEXT), Math.min(lines.length, to + CONTEXT)];
    const offset = starts[first]!;
    const local = inside.map(({ start, end, text: new_ }) => ({
      start: start - offset,
      end: end - offset,
      text: new_,
    }));
    const before = lines.slice(first, last);
    const after = linesOf(applyEdits(text.slice(offset, starts[last] ?? text.length), local));
    output.push(
      `@@ -${first + 1},${before.length} +${first + 1 + shift},${after.length} @@`,
      ...compared(before, after),
    );
    shift += after.length - before.length;
  }
  return output.join('\n');
}

/** Merges edits into ranges of whole lines, so that the context of two ranges never overlaps. */
function hunksOf(text: string, starts: readonly number[], edits: readonly Edit[]): Hunk[] {
  const hunks: Hunk[] = [];
  let line = 0;
  for (const edit of sorted(edits)) {
    while (line + 1 < starts.length && starts[line + 1]! <= edit.start) line++;
    const endLine = line + text.slice(edit.start, edit.end).split('\n').length;
    const previous = hunks.at(-1);
    if (previous && line - previous.to <= 2 * CONTEXT) {
      previous.to = Math.max(previous.to, endLine);
      previous.edits.push(edit);
    } else hunks.push({ from: line, to: endLine, edits: [edit] });
  }
  return hunks;
}

/** Compares the lines of one hunk by their longest common subsequence. A hunk has few lines. */
function compared(before: readonly string[], after: readonly string[]): string[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let b = before.length - 1; b >= 0; b--)
    for (let a = after.length - 1; a >= 0; a--)
      common[b * width + a] =
        before[b] === after[a]
          ? common[(b + 1) * width + a + 1]! + 1
          : Math.max(common[(b + 1) * width + a]!, common[b * width + a + 1]!);
  const output: string[] = [];
  let [b, a] = [0, 0];
  while (b < before.length || a < after.length) {
    if (b < before.length && a < after.length && before[b] === after[a]) {
      output.push(mark(' ')(before[b++]!));
      a++;
    } else if (a === after.length || (b < before.length && common[(b + 1) * width + a]! >= common[b * width + a + 1]!))
      output.push(mark('-')(before[b++]!));
    else output.push(mark('+')(after[a++]!));
  }
  return output;
}

/** Splits a text into lines that keep their line breaks. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index } of text.matchAll(/\n/g)) if (index + 1 < text.length) starts.push(index + 1);
  return starts;
}

const mark = (sign: string) => (line: string) =>
  line.endsWith('\n') ? sign + line.slice(0, -1) : `${sign}${line}\n\\ No newline at end of file`;
