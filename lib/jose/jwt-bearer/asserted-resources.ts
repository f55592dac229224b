import { capability } from '../../contracts/capability.js';

/**
 * Returns the resources that the token of an identity assertion is for, from those that the assertion contains.
 * `undefined` rejects the assertion.
 */
export type AssertedResources = (resources: readonly string[]) => readonly string[] | undefined;

/**
 * The capability key under which a profile limits the resources of identity assertions. If no feature provides it,
 * `resourceIndicators()` drops resources that the server does not know.
 */
export const ASSERTED_RESOURCES = capability<AssertedResources>('resources of identity assertions', 'mcp');
