/**
 * An option that is none of those there are, mostly a misspelt one, as a sentence.
 * @param known the names of all there are
 * @param place what takes them, as a host calls it
 */
export function unknownOption<O extends object>(
  given: O,
  known: { readonly [K in keyof O]-?: true },
  place: string,
): string | undefined {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return undefined;
  const names = Object.keys(known).map((name) => `\`${name}\``);
  const listed = names.length === 1 ? `is ${names[0]}` : `are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `unknown option \`${unknown}\` of ${place}: there ${listed}`;
}
