/**
 * Returns configuration errors for options of a feature that must be `true` or `false`.
 * @param feature The feature as the application writes it.
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
