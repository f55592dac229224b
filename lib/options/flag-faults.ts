/** What is wrong with options of a feature that are true or false, as sentences. `place`: what a host calls it */
export function* flagFaults<O extends object>(
  given: O,
  names: readonly (keyof O & string)[],
  place: string,
): Iterable<string> {
  for (const name of names) {
    const value: unknown = given[name];
    if (value !== undefined && typeof value !== 'boolean') yield `\`${name}\` of ${place} must be true or false`;
  }
}
