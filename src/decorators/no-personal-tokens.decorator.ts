import { SetMetadata } from '@nestjs/common';
import { assertConfig } from '../../lib/internal.js';

/** The metadata key of `@NoPersonalTokens()`. */
export const NO_PERSONAL_TOKENS_METADATA = 'nest-oauth2:no-personal-tokens';

/**
 * Refuses personal access tokens on a route that requires a scope. Routes without a required scope refuse them anyway.
 * On a method it replaces the declaration of the controller.
 * @param refuse `false`: the route accepts them, although its controller refuses them. Default: `true`.
 * @throws {InvalidArgumentError} If `refuse` is not a boolean.
 */
export function NoPersonalTokens(refuse = true) {
  assertConfig(typeof refuse === 'boolean', '@NoPersonalTokens() takes nothing, `true` or `false`');
  return SetMetadata(NO_PERSONAL_TOKENS_METADATA, refuse);
}
