import { SetMetadata } from '@nestjs/common';

import { assertConfig, isScopeValue } from '../../lib/internal.js';
import type { StepUp } from '../../lib/index.js';

/** The metadata key of `@RequireAuth()`. */
export const REQUIRE_AUTH_METADATA = 'nest-oauth2:require-auth';

/** The options of `@RequireAuth()`. */
export interface RequireAuthOptions {
  /** The accepted authentication context classes, the preferred one first. If omitted, every class is accepted. */
  acr?: string | readonly string[];
  /** The maximum age of the login, in seconds. Must be greater than 0. If omitted, every age is accepted. */
  maxAge?: number;
}

/**
 * Requires how strongly and how recently the user of the access token must have signed in. On a method it replaces the
 * requirements of its controller. A token of a weaker or older login gets 401 `insufficient_user_authentication` with
 * the parameters for a step-up authorization request.
 * @throws {InvalidArgumentError} If `acr` and `maxAge` are both missing, or one is invalid. RFC 9470
 */
export function RequireAuth({ acr, maxAge, ...others }: RequireAuthOptions) {
  const [unknown] = Object.keys(others);
  assertConfig(
    unknown === undefined,
    `unknown option \`${unknown}\` of @RequireAuth(): the known ones are \`acr\` and \`maxAge\``,
  );
  const values: readonly unknown[] | undefined = acr === undefined ? undefined : [acr].flat();
  const areNames = values === undefined || (values.length > 0 && values.every(isName));
  assertConfig(areNames, '`acr` of @RequireAuth() must be a name without spaces, or a list of names');
  const isAge = maxAge === undefined || (Number.isSafeInteger(maxAge) && maxAge > 0);
  assertConfig(isAge, '`maxAge` of @RequireAuth() must be an integer of seconds, greater than 0');
  assertConfig(values !== undefined || maxAge !== undefined, '@RequireAuth() requires `acr`, `maxAge` or both');
  const demanded = { ...(values && { acr: values as readonly string[] }), ...(maxAge !== undefined && { maxAge }) };
  return SetMetadata(REQUIRE_AUTH_METADATA, demanded satisfies StepUp);
}

/**
 * Whether a value is a valid `acr`. Values are sent in one parameter, separated by spaces, and are quoted in a
 * challenge.
 */
const isName = (one: unknown) => typeof one === 'string' && isScopeValue(one);
