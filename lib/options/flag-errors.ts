/**
 * Yields a configuration error for each of the named options of a feature that is neither `true`, `false` nor
 * `undefined`.
 * @param feature The feature as the application writes it, such as `` `dpop()` ``.
 */
export function* findFlagErrors<O extends object>(
  options: O,
  names: readonly (keyof O & string)[],
  feature: string,
): Iterable<string> {
  for (const name of names) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== 'boolean') yield `\`${name}\` of ${feature} must be true or false`;
  }
}
