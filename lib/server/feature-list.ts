import { featureName } from '../contracts/feature-name.js';
import { configurationError } from '../errors/configuration-error.js';
import type { Feature } from '../contracts/feature.js';
import { withDefaults } from '../options/resolve-options.js';
import { findMisplacedInstrumentation } from './instrumentation.js';

/** The features as the application lists them. A profile is a list of features within the list. */
export type FeatureList = readonly (Feature | readonly Feature[])[];

/**
 * Returns the features of a list without duplicates. A feature that the application lists replaces the feature of a
 * profile with the same `id`.
 * @throws {InvalidArgumentError} If a feature is listed twice, or if an entry is not a feature.
 */
export function flattenFeatures(list: FeatureList): readonly Feature[] {
  const repeated = findRepeatedFeature(list);
  if (repeated !== undefined) throw configurationError(repeated);
  const features = new Map(ownOf(list).map((feature) => [feature.id, feature]));
  for (const feature of list.filter((one): one is readonly Feature[] => Array.isArray(one)).flat()) {
    if (!features.has(feature.id)) features.set(feature.id, feature);
  }
  return [...features.values()];
}

/** Returns the features that the application lists directly, without those of profiles. */
const ownOf = (list: FeatureList) => list.filter((one): one is Feature => !Array.isArray(one));

/**
 * Returns the configuration error for an entry that is not a feature, or for a feature or profile that is listed
 * twice. `undefined` if the list is valid.
 */
export function findRepeatedFeature(list: FeatureList): string | undefined {
  if (!Array.isArray(list)) return 'the option `features` must be a list such as `[revocation()]`';
  for (const one of list.flat() as unknown[]) {
    // A function is never a feature, even if it has an `id`.
    if (typeof one === 'function') return `\`${one.name}\` in \`features\` is a function: call it`;
    const misplaced = findMisplacedInstrumentation(one);
    if (misplaced !== undefined) return misplaced;
    if (typeof (one as Feature | undefined)?.id !== 'string') return 'a feature must have an `id`';
  }
  // A profile is named after its last feature, such as `mcp`.
  const profiles = list.flatMap((one): readonly Feature[] => (Array.isArray(one) ? one.slice(-1) : []));
  const repeated = findRepeated(ownOf(list)) ?? findRepeated(profiles);
  return repeated && `the feature ${featureName(repeated)} is listed twice in \`features\`: remove one of them`;
}

function findRepeated(features: readonly Feature[]): Feature | undefined {
  const ids = features.map(({ id }) => id);
  return features.find(({ id }, at) => ids.indexOf(id) !== at);
}

/**
 * Returns the default options of a server: those of `others`, overridden by the `defaults` of features. A later feature
 * overrides an earlier one.
 */
export const defaultsOf = <T extends object>(features: readonly Feature[], others: T): T =>
  withDefaults(others, Object.assign({}, ...features.map(({ defaults }) => defaults)) as object);
