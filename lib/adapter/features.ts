import { featureName } from '../contracts/feature-name.js';
import type { Feature } from '../contracts/feature.js';
import { CLASSIC } from '../features/classic.js';
import { isObject } from '../http/is-object.js';
import { DEFAULTS, type Options, withDefaults } from '../options/resolve-options.js';
import { findEndpointConflict } from '../server/feature-conflicts.js';
import { findMisplacedInstrumentation } from '../server/instrumentation.js';
import { defaultsOf, type FeatureList, findRepeatedFeature, flattenFeatures } from '../server/feature-list.js';

/**
 * Returns the configuration error of a list of features: an entry that is not a feature, a feature that is listed
 * twice, or two features with the same endpoint. `undefined` if the list is valid.
 * @param option The name of the option, for the message.
 */
export function findFeatureListError(value: unknown, option: string): string | undefined {
  if (!Array.isArray(value)) return `the option \`${option}\` must be a list such as \`[revocation()]\``;
  const entries = (value as unknown[]).flatMap((one, at): [unknown, string][] =>
    Array.isArray(one) ? one.map((inner, index) => [inner, `${at}][${index}`]) : [[one, String(at)]],
  );
  for (const [one, at] of entries) {
    const error = findEntryError(one, `${option}[${at}]`);
    if (error !== undefined) return error;
  }
  return findRepeatedFeature(value as FeatureList) ?? findEndpointConflict(allFeatures(value as FeatureList));
}

function findEntryError(one: unknown, entryName: string): string | undefined {
  if (typeof one === 'function')
    return `\`${entryName}\` is a function instead of a feature: call it, as \`${one.name}()\``;
  const misplaced = findMisplacedInstrumentation(one);
  if (misplaced !== undefined) return misplaced;
  if (!isObject(one) || typeof one['id'] !== 'string' || one['id'] === '') {
    return `\`${entryName}\` must be a feature: the result of a function such as \`revocation()\`, or an object with an \`id\``;
  }
  const feature = one as unknown as Feature;
  for (const [id, endpoint] of Object.entries(feature.endpoints ?? {})) {
    const isWhole = typeof endpoint?.path === 'string' && typeof endpoint.make === 'function';
    if (!isWhole || !Array.isArray(endpoint.methods))
      return `the endpoint \`${id}\` of the feature ${featureName(feature)} needs \`path\`, \`methods\` and \`make()\``;
    if (id === 'prefix')
      return `the endpoint \`${id}\` of the feature ${featureName(feature)} needs another id: \`${id}\` has a special meaning in the option \`paths\``;
  }
  return undefined;
}

/**
 * Returns all features of a server whose option `features` is `list`: the features of RFC 6749, followed by the listed
 * ones, including those of profiles.
 */
export const allFeatures = (list: FeatureList = []): readonly Feature[] => [...CLASSIC, ...flattenFeatures(list)];

/** Returns the grant types of a server with these options `features` and `extendedGrantTypes`. RFC 6749 §4.5 */
export function grantTypesOf(list: FeatureList | undefined, extended: object = {}): readonly string[] {
  return [...new Set([...allFeatures(list).flatMap(({ grantTypes = [] }) => grantTypes), ...Object.keys(extended)])];
}

/**
 * Returns the effective options of a server whose option `features` is `list`. Given options override those of
 * profiles, and those override the defaults.
 */
export const effectiveOptions = (list: FeatureList | undefined, given: object = {}): Omit<Options, 'model'> =>
  withDefaults(defaultsOf(allFeatures(list), DEFAULTS as Options), given);
