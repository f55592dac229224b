import type { Installed, InstalledFeature, ServerHooks } from '../contracts/feature.js';
import { featureName } from '../contracts/feature-name.js';

const NAMES = {
  authorization: ['resolve', 'read', 'requireInteraction', 'approve', 'respond'],
  pushedRequest: ['complete'],
  token: ['admit', 'issue', 'format', 'respond', 'describe', 'identify'],
  resource: ['admit', 'verify', 'challenge'],
  client: ['find', 'verifyMetadata'],
} as const satisfies { readonly [G in keyof ServerHooks]: readonly (keyof ServerHooks[G])[] };

/** Returns, for each hook, the functions of all features. Called once per server. */
export function hooksOf(parts: readonly Installed[]): ServerHooks {
  const groups = Object.entries(NAMES).map(([group, names]) => {
    const owners = parts.map((one) => one[group as keyof ServerHooks]).filter((one) => one !== undefined);
    return [group, Object.fromEntries(names.map((name) => [name, functionsOf(owners, name)]))];
  });
  return Object.fromEntries(groups) as ServerHooks;
}

/**
 * Returns the configuration error for the first feature whose hooks are not functions, or whose `install()` returns a
 * promise. Ignoring such hooks could accept requests that they would reject.
 */
export function findInvalidPart(installed: readonly InstalledFeature[]): string | undefined {
  for (const { feature, parts } of installed) {
    if (typeof parts !== 'object' || typeof (parts as { then?: unknown }).then === 'function') {
      return `\`install()\` of the feature ${featureName(feature)} must return an object or nothing, not a promise`;
    }
    for (const [group, names] of Object.entries(NAMES)) {
      const hooks = parts[group as keyof ServerHooks] as Readonly<Record<string, unknown>> | undefined;
      const invalid = names.find((name) => hooks?.[name] && typeof hooks[name] !== 'function');
      if (invalid !== undefined)
        return `\`${group}.${invalid}\` of the feature ${featureName(feature)} must be a function`;
    }
  }
  return undefined;
}

/**
 * Returns the functions of all features for a hook, each bound to its object, because hooks may be methods of a class.
 */
const functionsOf = (owners: readonly object[], name: string) =>
  owners.flatMap((owner) => {
    const hook = (owner as Readonly<Record<string, unknown>>)[name];
    return typeof hook === 'function' ? (hook.bind(owner) as unknown) : [];
  });
