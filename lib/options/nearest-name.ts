/** Returns the known name that is most similar to `name`. `undefined` if the list of known names is empty. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  return known.toSorted((a, b) => distance(name, a) - distance(name, b))[0];
}

/** Returns the edit distance of two names: the number of letters to insert, delete or replace. It ignores case. */
export function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of from.toLowerCase().split('').entries()) {
    const above = row;
    row = [i + 1];
    for (const [j, other] of to.toLowerCase().split('').entries()) {
      row.push(Math.min(above[j + 1]! + 1, row[j]! + 1, above[j]! + (letter === other ? 0 : 1)));
    }
  }
  return row.at(-1)!;
}
