import { Inject } from '@nestjs/common';
import { getOAuth2ClientsToken } from '../oauth2.tokens.js';

/** Injects the `OAuth2Clients` of the server with this `name`. If `name` is omitted, of the default server. */
export const InjectOAuth2Clients = (name?: string) => Inject(getOAuth2ClientsToken(name));
