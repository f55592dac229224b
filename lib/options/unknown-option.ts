import { configurationError } from '../errors/configuration-error.js';
import { isObject } from '../http/is-object.js';

/**
 * Returns an error message if the options are no object, or contain a name that is not known.
 * @param known the names of all options
 * @param owner the function or option that takes them, as a developer writes it
 */
export function findUnknownOption<O extends object>(
  given: O,
  known: { readonly [K in keyof O]-?: true },
  owner: string,
): string | undefined {
  const names = Object.keys(known).map((name) => `\`${name}\``);
  if (!isObject(given)) return `the options of ${owner} must be an object: leave them out, or set ${names.join(', ')}`;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return undefined;
  const listed = names.length === 1 ? `is ${names[0]}` : `are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `unknown option \`${unknown}\` of ${owner}: there ${listed}`;
}

/**
 * Verifies that the options are an object with known names only.
 * @param known the names of all options
 * @param owner the function or option that takes them, as a developer writes it
 * @throws {InvalidArgumentError} If they are not.
 */
export function assertKnownOptions<O extends object>(
  given: O,
  known: { readonly [K in keyof O]-?: true },
  owner: string,
): void {
  const fault = findUnknownOption(given, known, owner);
  if (fault !== undefined) throw configurationError(fault);
}
