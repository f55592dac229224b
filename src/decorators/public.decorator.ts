import { SetMetadata } from '@nestjs/common';

export const PUBLIC_METADATA = 'nest-oauth2:public';

/** Lets everybody in, where `OAuthGuard` guards the whole application or controller. */
export const Public = () => SetMetadata(PUBLIC_METADATA, true);
