import { Logger } from '@nestjs/common';

import { allFeatures, assertConfig, distance, nearestName } from '../../lib/internal.js';
import type { DefinedScopes } from '../decorators/define-scopes.js';
import type { OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import type { AccessRequirements } from './access-requirements.js';

const logger = new Logger('OAuth2');

/** The scopes that OpenID Connect defines, which need no definition. OpenID Connect Core §5.4, §11 */
const STANDARD = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];
/** Maximum edit distance at which a scope counts as a misspelling of a defined scope. */
const MISSPELT = 2;

/**
 * Verifies the scopes that a route requires, if its server has the scopes of `defineScopes()`. An undefined scope that
 * is not similar to a defined one is logged.
 * @throws {InvalidArgumentError} If an undefined scope differs from a defined one in at most two letters.
 */
export function verifyDefinedScopes(
  route: string,
  { options }: AccessRequirements,
  registration: OAuth2Registration | undefined,
): void {
  const defined = allFeatures(registration?.features).find(({ id }) => id === 'defineScopes') as
    DefinedScopes<string> | undefined;
  if (!defined) return;
  const required = [...(options?.scope?.split(' ') ?? []), ...(options?.anyScope ?? [])];
  for (const scope of required) {
    if (defined.names.includes(scope) || STANDARD.includes(scope)) continue;
    const nearest = nearestName(scope, defined.names);
    const isMisspelt = nearest !== undefined && distance(scope, nearest) <= MISSPELT;
    const problem = `${route} requires the scope \`${scope}\`, which \`defineScopes()\` does not define`;
    assertConfig(!isMisspelt, `${problem}: write \`${nearest}\`, or define \`${scope}\``);
    logger.warn(`${problem}, so consent pages and metadata do not describe it: add it to \`defineScopes()\`.`);
  }
}
