import { SetMetadata } from '@nestjs/common';
import { assertConfig, isScopeValue } from '../../lib/adapter/index.js';
import type { StepUp } from '../../lib/index.js';

/** Where `@RequireAuth()` leaves what it demands. */
export const REQUIRE_AUTH_METADATA = 'nest-oauth2:require-auth';

/** What `@RequireAuth()` takes. */
export interface RequireAuthOptions {
  /** How strongly the user must have signed in: one of these names, the best first. */
  acr?: string | readonly string[];
  /** At most so many seconds ago; 0 would be never. */
  maxAge?: number;
}

/**
 * How well and how recently the user of a token must have proven who they are; on a method it replaces what its controller says.
 * Whoever has not is told what to ask for in an authorization request: 401 `insufficient_user_authentication`. RFC 9470
 * @throws InvalidArgumentError when it demands nothing, or what no token can have
 */
export function RequireAuth({ acr, maxAge, ...others }: RequireAuthOptions) {
  const [unknown] = Object.keys(others);
  assertConfig(unknown === undefined, `@RequireAuth() takes \`acr\` and \`maxAge\`, and \`${unknown}\` is neither`);
  const values: readonly unknown[] | undefined = acr === undefined ? undefined : [acr].flat();
  const areNames = values === undefined || (values.length > 0 && values.every(isName));
  assertConfig(areNames, '`acr` of @RequireAuth() must be a name without spaces, or a list of them');
  const isAge = maxAge === undefined || (Number.isSafeInteger(maxAge) && maxAge > 0);
  assertConfig(isAge, '`maxAge` of @RequireAuth() must be whole seconds, above 0');
  assertConfig(values !== undefined || maxAge !== undefined, '@RequireAuth() takes `acr`, `maxAge` or both');
  const demanded = { ...(values && { acr: values as readonly string[] }), ...(maxAge !== undefined && { maxAge }) };
  return SetMetadata(REQUIRE_AUTH_METADATA, demanded satisfies StepUp);
}

/** They travel in one parameter, separated by spaces, and are quoted in a challenge. */
const isName = (one: unknown) => typeof one === 'string' && isScopeValue(one);
