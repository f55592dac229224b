import { Inject } from '@nestjs/common';
import { getOAuth2SessionsToken } from '../oauth2.tokens.js';

/** Injects the `OAuth2Sessions` of the server with this `name`. If `name` is omitted, of the default server. */
export const InjectOAuth2Sessions = (name?: string) => Inject(getOAuth2SessionsToken(name));
