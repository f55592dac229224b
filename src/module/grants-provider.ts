import type { Provider } from '@nestjs/common';
import { OAuth2Grants, type OAuth2Server } from '../../lib/index.js';
import type { PartTokens } from '../oauth2.tokens.js';

/** Returns the provider of `OAuth2Grants` for one import of the module. */
export const grantsProvider = ({ grants, server }: PartTokens): Provider => ({
  provide: grants,
  inject: [server],
  // A mock server of a test may have no context.
  useFactory: ({ options, context }: Partial<OAuth2Server>) =>
    context ? OAuth2Grants.of(context) : new OAuth2Grants(options?.model ?? {}),
});
