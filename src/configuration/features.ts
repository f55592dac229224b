import type { Feature } from '../../lib/contracts/feature.js';
import { findEndpointConflict } from '../../lib/server/feature-conflicts.js';
import { type FeatureList, findRepeated, flatten } from '../../lib/server/feature-list.js';
import { called } from '../../lib/contracts/feature-name.js';
import { CLASSIC } from '../../lib/features/classic.js';
import { isObject } from '../../lib/http/is-object.js';
import type { Kind } from './option-kinds.js';
import { misplacedInstrumentation } from '../../lib/server/instrumentation.js';

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
  return findRepeated(value as FeatureList) ?? findEndpointConflict(allFeatures(value as FeatureList));
};

/** All features of a server, the classic ones first. */
export const allFeatures = (list: FeatureList = []): readonly Feature[] => [...CLASSIC, ...flatten(list)];

/** The grant types that a server with these features has. RFC 6749 §4.5 */
export function grantTypesOf(list: FeatureList | undefined, extended: object = {}): readonly string[] {
  return [...new Set([...allFeatures(list).flatMap(({ grantTypes = [] }) => grantTypes), ...Object.keys(extended)])];
}

function findEntryFault(one: unknown, place: string): string | undefined {
  if (typeof one === 'function')
    return `\`${place}\` is a function where a feature is due: call it, as \`${one.name}()\``;
  const misplaced = misplacedInstrumentation(one);
  if (misplaced !== undefined) return misplaced;
  if (!isObject(one) || typeof one['id'] !== 'string' || one['id'] === '') {
    return `\`${place}\` must be a feature: what \`revocation()\` returns, or an object with an \`id\` of your own`;
  }
  const feature = one as unknown as Feature;
  for (const [id, endpoint] of Object.entries(feature.endpoints ?? {})) {
    const isWhole = typeof endpoint?.path === 'string' && typeof endpoint.make === 'function';
    if (!isWhole || !Array.isArray(endpoint.methods))
      return `the endpoint \`${id}\` of the feature ${called(feature)} needs \`path\`, \`methods\` and \`make()\``;
    if (id === 'prefix')
      return `the endpoint \`${id}\` of the feature ${called(feature)} needs another id: \`paths\` has that one`;
  }
  return undefined;
}
