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
  const features = new Map(ownOf(list).map((feature) => [feature.name, feature]));
  for (const feature of list.filter((one): one is readonly Feature[] => Array.isArray(one)).flat()) {
    features.set(feature.name, bent(feature, features.get(feature.name)));
  }
  return [...features.values()];
}

/** What a host lists itself; one that a profile brings too is meant to be bent. */
const ownOf = (list: FeatureList) => list.filter((one): one is Feature => !Array.isArray(one));

/** A feature that a host lists twice, or that is none, as a sentence. */
export function findRepeated(list: FeatureList): string | undefined {
  if (!Array.isArray(list)) return 'the option `features` must be a list such as `[revocation()]`';
  for (const one of list.flat() as unknown[]) {
    // A function has a name too, and would be a feature that does nothing.
    if (typeof one === 'function') return `\`${one.name}\` among the \`features\` is a function: call it`;
    const misplaced = misplacedInstrumentation(one);
    if (misplaced !== undefined) return misplaced;
    if (typeof (one as Feature | undefined)?.name !== 'string') return 'a feature has a `name`';
  }
  const own = ownOf(list);
  const names = own.map(({ name }) => name);
  const repeated = own.find(({ name }, at) => names.indexOf(name) !== at);
  return repeated && `the feature ${called(repeated)} stands twice in \`features\`: leave one out`;
}

/** The members of a feature that are functions. */
const HOOKS = [
  'install',
  'metadata',
  'findClient',
  'verifyClientMetadata',
  'checkOptions',
  'resolve',
  'ask',
  'prompt',
  'approve',
  'answer',
  'push',
  'admit',
  'issue',
  'format',
  'respond',
  'present',
  'challenge',
  'describe',
  'health',
] as const;

const MEMBERS: readonly (keyof Feature)[] = [
  ...HOOKS,
  'requires',
  'grants',
  'responseTypes',
  'responseModes',
  'endpoints',
  'parameters',
  'clientAuthentications',
  'schemes',
  'confirms',
  'origins',
  'resources',
  'defaults',
  'forbids',
  'check',
];

/** A feature of a profile with what the host's own has in place of it. Each may be of a class, and its methods stay with it. */
function bent(feature: Feature, own: Feature | undefined): Feature {
  if (!own) return feature;
  const members = MEMBERS.map((member) => {
    const owner = member in own ? own : feature;
    const value: unknown = owner[member];
    return [member, typeof value === 'function' ? (value.bind(owner) as unknown) : value];
  });
  return { ...feature, ...own, ...(Object.fromEntries(members) as object) };
}

/** The options of a server where its host says nothing: those that features set before the others. */
export const defaultsOf = <T extends object>(features: readonly Feature[], others: T): T =>
  settle(others, Object.assign({}, ...features.map(({ defaults }) => defaults)) as object);
