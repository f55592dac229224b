import { Inject } from '@nestjs/common';
import { getOAuth2GrantsToken } from '../oauth2.tokens.js';

/** Injects the `OAuth2Grants` of the server with this `name`. If `name` is omitted, of the default server. */
export const InjectOAuth2Grants = (name?: string) => Inject(getOAuth2GrantsToken(name));
