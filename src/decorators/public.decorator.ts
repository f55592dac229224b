import { SetMetadata } from '@nestjs/common';

/** The metadata key of `@Public()`, for guards of the application. */
export const PUBLIC_METADATA = 'nest-oauth2:public';

/**
 * Allows all requests to a route that `OAuthGuard` would otherwise guard. Access tokens in these requests are ignored.
 */
export const Public = () => SetMetadata(PUBLIC_METADATA, true);
