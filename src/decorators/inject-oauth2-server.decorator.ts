import { Inject } from '@nestjs/common';
import { getOAuth2ServerToken } from '../oauth2.tokens.js';

/** Injects the `OAuth2Server` with this `name`. If `name` is omitted, the default server. */
export const InjectOAuth2Server = (name?: string) => Inject(getOAuth2ServerToken(name));
