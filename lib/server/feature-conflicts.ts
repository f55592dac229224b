import type { Feature, InstalledFeature } from '../contracts/feature.js';
import { featureName } from '../contracts/feature-name.js';

/** The parts of features that are records. Two features must not have the same name in one of them. */
const RECORDS = ['grants', 'responseTypes', 'responseModes', 'tokenSchemes'] as const;

/** Hooks that at most one feature of a server may have, each with a phrase for the error message. */
const SINGLE = [
  ['write access tokens', 'token', 'format'],
  ['find clients', 'client', 'find'],
] as const;

type Hooks = Readonly<Record<string, unknown>> | undefined;

/**
 * Returns the configuration error for the first endpoint ID that two features use, if any. Two features may share one
 * endpoint object.
 */
export function findEndpointConflict(features: readonly Feature[]): string | undefined {
  return findShared(
    features.map((feature) => [feature, feature.endpoints]),
    'endpoints',
  );
}

/**
 * Returns the configuration error for the first grant, response type, response mode, token scheme, client field or
 * exclusive hook that two features add, if any.
 */
export function findPartConflict(installed: readonly InstalledFeature[]): string | undefined {
  for (const part of RECORDS) {
    const shared = findShared(
      installed.map(({ feature, parts }) => [feature, parts[part]]),
      part,
    );
    if (shared !== undefined) return shared;
  }
  const fields = installed.map(({ feature, parts }) => [feature, byName(parts.clientFields)] as const);
  const shared = findShared(fields, 'clientFields');
  if (shared !== undefined) return shared;
  for (const [does, group, hook] of SINGLE) {
    const [one, other] = installed.filter(({ parts }) => typeof (parts[group] as Hooks)?.[hook] === 'function');
    if (other) return both(one!.feature, other.feature, does);
  }
  return undefined;
}

const byName = (fields: readonly { readonly name: string }[] = []) =>
  Object.fromEntries(fields.map((field) => [field.name, field]));

function findShared(all: readonly (readonly [Feature, object | undefined])[], part: string): string | undefined {
  const owners = new Map<string, { feature: Feature; value: unknown }>();
  for (const [feature, record] of all) {
    for (const id in record) {
      const value: unknown = record[id as keyof typeof record];
      const other = owners.get(id);
      if (other && other.value !== value) return both(other.feature, feature, `add \`${id}\` to \`${part}\``);
      owners.set(id, { feature, value });
    }
  }
  return undefined;
}

const both = (one: Feature, other: Feature, does: string) =>
  `the features ${featureName(one)} and ${featureName(other)} both ${does}: remove one of them from \`features\``;
