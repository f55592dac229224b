import { SetMetadata } from '@nestjs/common';
import { assertConfig } from '../../lib/adapter/index.js';

/** Where `@UseOAuth()` leaves the name; null: the server without one. */
export const USE_OAUTH_METADATA = 'nest-oauth2:use-oauth';

/**
 * Says which server `OAuthGuard` asks, by the `name` it was registered with; `@UseOAuth()`: the one without a name. On a method
 * it replaces what its controller says.
 * @throws InvalidArgumentError when the name is empty
 */
export function UseOAuth(name?: string) {
  assertConfig(
    name === undefined || (typeof name === 'string' && name !== ''),
    '@UseOAuth() takes the `name` of a server',
  );
  return SetMetadata(USE_OAUTH_METADATA, name ?? null);
}
