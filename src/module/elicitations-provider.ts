import type { Provider } from '@nestjs/common';
import type { OAuth2Server } from '../../lib/index.js';
import type { PartTokens } from '../oauth2.tokens.js';
import { OAuth2Elicitations } from './oauth2-elicitations.js';

/** Returns the provider of `OAuth2Elicitations` for one import of the module. */
export const elicitationsProvider = ({ elicitations, server }: PartTokens): Provider => ({
  provide: elicitations,
  inject: [server],
  useFactory: (made: OAuth2Server) => new OAuth2Elicitations(made),
});
