import { SetMetadata } from '@nestjs/common';

import { assertConfig } from '../../lib/internal.js';

/** The metadata key of `@UseOAuth()`. Its value is the name of a server, or `null` for the default server. */
export const USE_OAUTH_METADATA = 'nest-oauth2:use-oauth';

/**
 * Selects the server that `OAuthGuard` verifies access tokens with, by its `name`. `@UseOAuth()` without a name selects
 * the default server. On a method it replaces the choice of its controller.
 * @throws {InvalidArgumentError} If the name is empty.
 */
export function UseOAuth(name?: string) {
  assertConfig(
    name === undefined || (typeof name === 'string' && name !== ''),
    '@UseOAuth() takes the `name` of a server',
  );
  return SetMetadata(USE_OAUTH_METADATA, name ?? null);
}
