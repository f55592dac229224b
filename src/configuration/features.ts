import type { Feature } from '../../lib/feature.js';
import { type FeatureList, flatten } from '../../lib/feature-set.js';
import { CLASSIC } from '../../lib/features/classic.js';
import { isObject, type Kind } from './option-kinds.js';

const PARTS = ['grants', 'responseTypes', 'endpoints'] as const;

/** Features, and lists of them: each is one, and no two add the same. */
export const FEATURES: Kind = (value, option) => {
  if (!Array.isArray(value)) return `the option \`${option}\` must be a list such as \`[revocation()]\``;
  const entries = (value as unknown[]).flatMap((one, at): [unknown, string][] =>
    Array.isArray(one) ? one.map((inner, index) => [inner, `${at}][${index}`]) : [[one, String(at)]],
  );
  for (const [one, at] of entries) {
    const fault = findEntryFault(one, `${option}[${at}]`);
    if (fault !== undefined) return fault;
  }
  return findRepeated(value as FeatureList, option) ?? findConflict(allFeatures(value as FeatureList), option);
};

/** All features of a server, the classic ones first. */
export const allFeatures = (list: FeatureList = []): readonly Feature[] => [...CLASSIC, ...flatten(list)];

/** The grant types that a server with these features has. RFC 6749 §4.5 */
export function grantTypesOf(list: FeatureList | undefined, extended: object = {}): readonly string[] {
  return [
    ...new Set([...allFeatures(list).flatMap(({ grants }) => Object.keys(grants ?? {})), ...Object.keys(extended)]),
  ];
}

function findEntryFault(one: unknown, place: string): string | undefined {
  if (typeof one === 'function')
    return `\`${place}\` is a function where a feature is due: call it, as \`${one.name}()\``;
  if (!isObject(one) || typeof one['name'] !== 'string' || one['name'] === '') {
    return `\`${place}\` must be a feature: what \`revocation()\` returns, or an object with a \`name\` of your own`;
  }
  const { name, endpoints } = one as unknown as Feature;
  for (const [id, endpoint] of Object.entries(endpoints ?? {})) {
    const isWhole = typeof endpoint?.path === 'string' && typeof endpoint.make === 'function';
    if (!isWhole || !Array.isArray(endpoint.methods))
      return `the endpoint \`${id}\` of the feature \`${name}\` needs \`path\`, \`methods\` and \`make()\``;
    if (id === 'prefix')
      return `the endpoint \`${id}\` of the feature \`${name}\` needs another id: \`paths\` has that one`;
  }
  return undefined;
}

/** Of a list's own features: one that a profile brings too is meant to be bent. */
function findRepeated(list: FeatureList, option: string): string | undefined {
  const names = list.filter((one): one is Feature => !Array.isArray(one)).map(({ name }) => name);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  return repeated && `the feature \`${repeated}\` stands twice in \`${option}\`: leave one out`;
}

function findConflict(features: readonly Feature[], option: string): string | undefined {
  for (const part of PARTS) {
    const owners = new Map<string, string>();
    for (const feature of features) {
      for (const id of Object.keys(feature[part] ?? {})) {
        const other = owners.get(id);
        if (other !== undefined) {
          return `the features \`${other}\` and \`${feature.name}\` both add \`${id}\` to \`${part}\`: leave one out of \`${option}\``;
        }
        owners.set(id, feature.name);
      }
    }
  }
  return undefined;
}
