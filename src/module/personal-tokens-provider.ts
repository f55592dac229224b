import type { Provider } from '@nestjs/common';
import type { OAuth2Server } from '../../lib/index.js';
import type { PartTokens } from '../oauth2.tokens.js';
import { OAuth2PersonalTokens } from './oauth2-personal-tokens.js';

/** Returns the provider of `OAuth2PersonalTokens` for one import of the module. */
export const personalTokensProvider = ({ personalTokens, server }: PartTokens): Provider => ({
  provide: personalTokens,
  inject: [server],
  useFactory: (made: OAuth2Server) => new OAuth2PersonalTokens(made),
});
