import { called } from '../contracts/feature-name.js';
import { configurationError } from '../errors/configuration-error.js';
import type { Feature } from '../contracts/feature.js';
import { settle } from '../options/settle.js';
import { misplacedInstrumentation } from './instrumentation.js';

/** Features as a host lists them: a profile is a list of its own. */
export type FeatureList = readonly (Feature | readonly Feature[])[];

/**
 * The features of a list, each once: of one that the host lists and a profile brings too, the host's own counts.
 * @throws InvalidArgumentError when one is given twice, or is none
 */
export function flatten(list: FeatureList): readonly Feature[] {
  const repeated = findRepeated(list);
  if (repeated !== undefined) throw configurationError(repeated);
  const features = new Map(ownOf(list).map((feature) => [feature.id, feature]));
  for (const feature of list.filter((one): one is readonly Feature[] => Array.isArray(one)).flat()) {
    if (!features.has(feature.id)) features.set(feature.id, feature);
  }
  return [...features.values()];
}

/** What a host lists itself; one that a profile brings too is meant to be bent. */
const ownOf = (list: FeatureList) => list.filter((one): one is Feature => !Array.isArray(one));

/** A feature that a host lists twice, or that is none, as a sentence. */
export function findRepeated(list: FeatureList): string | undefined {
  if (!Array.isArray(list)) return 'the option `features` must be a list such as `[revocation()]`';
  for (const one of list.flat() as unknown[]) {
    // A function is not a feature, whatever its properties are.
    if (typeof one === 'function') return `\`${one.name}\` among the \`features\` is a function: call it`;
    const misplaced = misplacedInstrumentation(one);
    if (misplaced !== undefined) return misplaced;
    if (typeof (one as Feature | undefined)?.id !== 'string') return 'a feature must have an `id`';
  }
  const own = ownOf(list);
  const names = own.map(({ id }) => id);
  const repeated = own.find(({ id }, at) => names.indexOf(id) !== at);
  return repeated && `the feature ${called(repeated)} stands twice in \`features\`: leave one out`;
}

/** The options of a server where its host says nothing: those that features set before the others. */
export const defaultsOf = <T extends object>(features: readonly Feature[], others: T): T =>
  settle(others, Object.assign({}, ...features.map(({ defaults }) => defaults)) as object);
