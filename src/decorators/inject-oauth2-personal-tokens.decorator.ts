import { Inject } from '@nestjs/common';
import { getOAuth2PersonalTokensToken } from '../oauth2.tokens.js';

/**
 * Injects the `OAuth2PersonalTokens` of the server with this `name`. If omitted, those of the default server, as by its
 * class.
 */
export const InjectOAuth2PersonalTokens = (name?: string) => Inject(getOAuth2PersonalTokensToken(name));
