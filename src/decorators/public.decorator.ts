import { SetMetadata } from '@nestjs/common';

/** Where `@Public()` leaves its mark, for guards of the host. */
export const PUBLIC_METADATA = 'nest-oauth2:public';

/** Lets everybody in, where `OAuthGuard` guards the whole application or controller. */
export const Public = () => SetMetadata(PUBLIC_METADATA, true);
