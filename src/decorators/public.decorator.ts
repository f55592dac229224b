import { SetMetadata } from '@nestjs/common';

/** The metadata key of `@Public()`, for guards of the application. */
export const PUBLIC_METADATA = 'nest-oauth2:public';

/** Allows all requests to a route, if `OAuthGuard` guards the whole application or controller. */
export const Public = () => SetMetadata(PUBLIC_METADATA, true);
