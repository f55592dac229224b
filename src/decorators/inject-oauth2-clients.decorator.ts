import { Inject } from '@nestjs/common';
import { getOAuth2ClientsToken } from '../oauth2.tokens.js';

/** Injects what administers the clients of the server of this `name`; without one, what `OAuth2Clients` by its class is. */
export const InjectOAuth2Clients = (name?: string) => Inject(getOAuth2ClientsToken(name));
