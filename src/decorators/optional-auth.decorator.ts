import { SetMetadata } from '@nestjs/common';

/** Where `@OptionalAuth()` leaves its mark. */
export const OPTIONAL_AUTH_METADATA = 'nest-oauth2:optional-auth';

/** Lets in who brings no token, and who brings a good one, whose user is then known; a bad one is refused. RFC 6750 §3.1 */
export const OptionalAuth = () => SetMetadata(OPTIONAL_AUTH_METADATA, true);
