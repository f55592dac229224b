import { SetMetadata } from '@nestjs/common';

/** Where `@UserRequired()` leaves its mark. */
export const USER_REQUIRED_METADATA = 'nest-oauth2:user-required';

/** Turns tokens away that no user stands behind: those of a client that acts for itself. RFC 6749 §4.4, RFC 9700 §4.15 */
export const UserRequired = () => SetMetadata(USER_REQUIRED_METADATA, true);
