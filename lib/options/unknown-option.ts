import { configurationError } from '../errors/configuration-error.js';
import { isObject } from '../http/is-object.js';
import { distance, nearestName } from './nearest-name.js';

/**
 * Returns the configuration error if the options are not an object, or contain an unknown name. `undefined` if they are
 * valid.
 * @param known The names of all options.
 * @param owner The function or option that takes the options, as a developer writes it.
 */
export function findUnknownOption<O extends object>(
  options: O,
  known: { readonly [K in keyof O]-?: true },
  owner: string,
): string | undefined {
  const names = Object.keys(known).map((name) => `\`${name}\``);
  if (!isObject(options)) return `the options of ${owner} must be an object: omit them, or set ${names.join(', ')}`;
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return undefined;
  const listed =
    names.length === 1 ? `option is ${names[0]}` : `options are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const nearest = nearestName(unknown, Object.keys(known));
  const isTypo = nearest !== undefined && distance(unknown, nearest) <= MAX_DISTANCE;
  return `unknown option \`${unknown}\` of ${owner}: the ${listed}${isTypo ? `. Did you mean \`${nearest}\`?` : ''}`;
}

/** Maximum edit distance of a misspelled name from the suggested name. */
const MAX_DISTANCE = 2;

/**
 * Verifies that the options are an object with known names only.
 * @param known The names of all options.
 * @param owner The function or option that takes the options, as a developer writes it.
 * @throws {InvalidArgumentError} If the options are not an object, or contain an unknown name.
 */
export function assertKnownOptions<O extends object>(
  options: O,
  known: { readonly [K in keyof O]-?: true },
  owner: string,
): void {
  const error = findUnknownOption(options, known, owner);
  if (error !== undefined) throw configurationError(error);
}
