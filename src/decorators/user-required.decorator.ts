import { SetMetadata } from '@nestjs/common';

/** The metadata key of `@UserRequired()`. */
export const USER_REQUIRED_METADATA = 'nest-oauth2:user-required';

/** Rejects access tokens without a user: those of the client credentials grant. RFC 6749 §4.4, RFC 9700 §4.15 */
export const UserRequired = () => SetMetadata(USER_REQUIRED_METADATA, true);
