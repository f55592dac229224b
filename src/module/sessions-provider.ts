import type { Provider } from '@nestjs/common';
import type { OAuth2Server } from '../../lib/index.js';
import { OAuth2Sessions } from '../interaction/oauth2-sessions.js';
import type { PartTokens } from '../oauth2.tokens.js';

/** Returns the provider of `OAuth2Sessions` for one import of the module. */
export const sessionsProvider = ({ sessions, server }: PartTokens): Provider => ({
  provide: sessions,
  inject: [server],
  useFactory: (made: OAuth2Server) => new OAuth2Sessions(made),
});
