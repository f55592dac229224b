import { SetMetadata } from '@nestjs/common';

/** Where `@Scopes()` leaves its list, for guards and documentation of the host. */
export const SCOPES_METADATA = 'nest-oauth2:scopes';

/** The scopes a token must have, all of them; on a method it replaces what its controller says. RFC 6750 §3.1 */
export const Scopes = (...scopes: string[]) => SetMetadata(SCOPES_METADATA, scopes);
