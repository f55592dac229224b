/** The name that was probably meant. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  return known.toSorted((a, b) => distance(name, a) - distance(name, b))[0];
}

/** How many letters must be typed, deleted or replaced to make one name of the other; case does not count. */
export function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of from.toLowerCase().split('').entries()) {
    const above = row;
    row = [i + 1];
    for (const [j, wanted] of to.toLowerCase().split('').entries()) {
      row.push(Math.min(above[j + 1]! + 1, row[j]! + 1, above[j]! + (letter === wanted ? 0 : 1)));
    }
  }
  return row.at(-1)!;
}
