import type { Provider } from '@nestjs/common';
import { OAuth2Grants, type OAuth2Server } from '../../lib/index.js';
import type { PartTokens } from '../oauth2.tokens.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';

/** Returns the provider of `OAuth2Grants` for one import of the module. */
export const grantsProvider = ({ grants, server }: PartTokens): Provider => ({
  provide: grants,
  inject: [server],
  useFactory: administer,
});

// A mock server of a test may have no options.
function administer(server: OAuth2Server): OAuth2Grants {
  const { options, events, context } = server;
  const scope = tenantServersOf(server) ? { tenants: 'all' as const } : { issuer: options?.issuer, server: context };
  return new OAuth2Grants(options?.model ?? {}, { ...scope, events });
}
