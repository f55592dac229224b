import { Inject } from '@nestjs/common';
import { getOAuth2ElicitationsToken } from '../oauth2.tokens.js';

/**
 * Injects the `OAuth2Elicitations` of the server with this `name`. If omitted, those of the default server, as by its
 * class.
 */
export const InjectOAuth2Elicitations = (name?: string) => Inject(getOAuth2ElicitationsToken(name));
