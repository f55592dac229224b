import { capability } from '../../contracts/capability.js';
import type { ServerContext } from '../../contracts/feature.js';
import { OwnResources } from '../../endpoints/resource/own-resources.js';

/**
 * The capability key under which `mcp()` provides a function that returns its dedicated resources. A dedicated resource
 * accepts only tokens that were issued for it, and is never the default of requests without `resource`. MCP 2026-07-28,
 * Authorization
 */
export const DEDICATED_RESOURCES = capability<() => readonly string[]>('dedicated resources', 'mcp');

/** The dedicated resources of a server, as absolute URIs. */
export interface DedicatedResources {
  /** The resources that accept only tokens that were issued for them. */
  readonly uris: ReadonlySet<string>;
  /** The dedicated resource to which all paths of the application belong. `undefined` if there is none. */
  readonly whole: string | undefined;
}

/** Returns the dedicated resources of a server. */
export function dedicatedResources(server: ServerContext): DedicatedResources {
  const uris = server.find(DEDICATED_RESOURCES)?.() ?? [];
  const whole = uris.find((uri) => new OwnResources([uri], server.options.issuer).find('/') !== undefined);
  return { uris: new Set(uris), whole };
}
