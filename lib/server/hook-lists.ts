import type { Installed, ServerHooks } from '../contracts/feature.js';

const NAMES = {
  authorization: ['resolve', 'read', 'requireInteraction', 'approve', 'respond'],
  pushedRequest: ['complete'],
  token: ['admit', 'issue', 'format', 'respond', 'describe'],
  resource: ['verify', 'challenge'],
  client: ['find', 'verifyMetadata'],
} as const satisfies { readonly [G in keyof ServerHooks]: readonly (keyof ServerHooks[G])[] };

/** Returns the hooks of all features as lists of functions, made once for each server. */
export function hooksOf(parts: readonly Installed[]): ServerHooks {
  const groups = Object.entries(NAMES).map(([group, names]) => {
    const owners = parts.map((one) => one[group as keyof ServerHooks]).filter((one) => one !== undefined);
    return [group, Object.fromEntries(names.map((name) => [name, functionsOf(owners, name)]))];
  });
  return Object.fromEntries(groups) as ServerHooks;
}

/** Hooks may be methods of a class: each is bound to its object. */
const functionsOf = (owners: readonly object[], name: string) =>
  owners.flatMap((owner) => {
    const hook = (owner as Readonly<Record<string, unknown>>)[name];
    return typeof hook === 'function' ? (hook.bind(owner) as unknown) : [];
  });
