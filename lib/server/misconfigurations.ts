import { InvalidArgumentError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import { isResourcePath, isRoutePath } from '../endpoints/resource/own-resources.js';
import { findMissingMethods, lacks } from '../model/require-methods.js';
import { featureName } from '../contracts/feature-name.js';

/**
 * Returns one message with all configuration errors: missing model methods, then the first error of each feature.
 * Without such errors, it returns `missingCapability`.
 * @param missingCapability The error for a required capability that no feature provides, if there is one.
 */
export function findMisconfigurations(
  server: ServerContext,
  missingCapability: string | undefined,
): string | undefined {
  const { model } = server.options;
  const requirements = server.features.map((feature) => ({
    neededBy: featureName(feature),
    methods: feature.requires ?? [],
    alternative: 'leave the feature out',
  }));
  const missing = findMissingMethods(model, requirements);
  const errors = firstErrors(server, missing !== undefined || missingCapability !== undefined);
  const methods = missing === undefined ? [] : requirements.flatMap((one) => one.methods);
  const absent = methods.filter((method) => lacks(model, method));
  const isReported = (error: string) => absent.some((method) => error.includes(`\`${method}()\``));
  const others = [...new Set(errors)].filter((error) => !isReported(error));
  const all = [missing, ...others].filter((error) => error !== undefined);
  if (all.length === 0) return missingCapability;
  if (all.length === 1) return all[0];
  return `${all.length} configuration errors:\n${all.map((error, at) => `${at + 1}. ${error}`).join('\n')}`;
}

/** Returns the first error of each feature. Further errors are often consequences of it. */
function firstErrors(server: ServerContext, isIncomplete: boolean): readonly string[] {
  return server.installed.flatMap(({ parts }) => {
    try {
      for (const first of parts.misconfigurations?.(server) ?? []) return [first];
    } catch (error) {
      // Settings that are functions are read, and validated, at the first use.
      if (error instanceof InvalidArgumentError) return [error.message.replace(/^Invalid argument: /, '')];
      // Without its model methods or capabilities, a feature may be unable to validate itself.
      if (!isIncomplete) throw error;
    }
    return [];
  });
}

/**
 * Returns the configuration error of a protected resource in the member `resources` of a feature. `undefined` if the
 * resource is valid.
 */
export function findResourceError(resource: string, issuer: string | undefined): string | undefined {
  const isValid = isResourcePath(resource) || isRoutePath(resource) ? issuer !== undefined : URL.canParse(resource);
  if (isValid) return undefined;
  return resource.startsWith('/') || isRoutePath(resource)
    ? `the resource \`${resource}\` is a path at the origin of the option \`issuer\`: set \`issuer\``
    : `the resource \`${resource}\` is not an absolute URI`;
}
