import { Inject } from '@nestjs/common';
import { getOAuth2ServerToken } from '../oauth2.tokens.js';

/** Injects the server that was registered with this `name`; without one, what `OAuth2Server` by its class is. */
export const InjectOAuth2Server = (name?: string) => Inject(getOAuth2ServerToken(name));
