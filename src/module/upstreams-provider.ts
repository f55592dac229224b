import type { Provider } from '@nestjs/common';
import type { OAuth2Server } from '../../lib/index.js';
import type { PartTokens } from '../oauth2.tokens.js';
import { OAuth2Upstreams } from './oauth2-upstreams.js';

/** Returns the provider of `OAuth2Upstreams` for one import of the module. */
export const upstreamsProvider = ({ upstreams, server }: PartTokens): Provider => ({
  provide: upstreams,
  inject: [server],
  useFactory: (made: OAuth2Server) => new OAuth2Upstreams(made),
});
