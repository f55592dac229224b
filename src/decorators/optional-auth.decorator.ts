import { SetMetadata } from '@nestjs/common';

/** The metadata key of `@OptionalAuth()`. */
export const OPTIONAL_AUTH_METADATA = 'nest-oauth2:optional-auth';

/**
 * Allows requests without an access token. A request with a valid token has its user; a request with an invalid token
 * is rejected. Without effect together with `@UserRequired()`, `@RequireAuth()` or `@Roles()`. RFC 6750 §3.1
 */
export const OptionalAuth = () => SetMetadata(OPTIONAL_AUTH_METADATA, true);
