import { Logger } from '@nestjs/common';

import { allFeatures, assertConfig } from '../../lib/internal.js';
import { type DefinedScopes, isDefinedScope, misspelledScope } from '../decorators/define-scopes.js';
import type { OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { listed } from '../configuration/check-clients.js';
import type { AccessRequirements } from './access-requirements.js';

const logger = new Logger('OAuth2');

/**
 * Verifies the scopes that a route requires, if its server has the scopes of `defineScopes()`. An undefined scope that
 * is not similar to a defined one is logged. So is a scope with a comma, which probably separates two scopes.
 * @throws {InvalidArgumentError} If an undefined scope differs from a defined one in at most two letters.
 */
export function verifyDefinedScopes(
  route: string,
  { options }: AccessRequirements,
  registration: OAuth2Registration | undefined,
): void {
  const required = [...(options?.scope?.split(' ') ?? []), ...(options?.anyScope ?? [])];
  for (const scope of required) if (scope.includes(',')) logger.warn(commaIn(route, scope));
  const defined = allFeatures(registration?.features).find(({ id }) => id === 'defineScopes') as
    DefinedScopes<string> | undefined;
  if (!defined) return;
  for (const scope of required) {
    if (isDefinedScope(scope, defined.names)) continue;
    const nearest = misspelledScope(scope, defined.names);
    const problem = `${route} requires the scope \`${scope}\`, which \`defineScopes()\` does not define`;
    assertConfig(nearest === undefined, `${problem}: write \`${nearest}\`, or define \`${scope}\``);
    logger.warn(`${problem}, so consent pages and metadata do not describe it: add it to \`defineScopes()\`.`);
  }
}

const commaIn = (route: string, scope: string): string =>
  `${route} requires \`${scope}\`, which is one scope with a comma in its name. If you meant several scopes, write ` +
  `${listed(scope)}.`;
