import type { Provider } from '@nestjs/common';

import { serverName } from '../../lib/internal.js';
import { OAuth2Clients, type OAuth2Server } from '../../lib/index.js';
import { clientsName } from './provider-names.js';
import type { PartTokens } from '../oauth2.tokens.js';

/**
 * Returns the providers of `OAuth2Clients` for one import of the module. The default server and its clients also get a
 * name, so that the `nest-oauth2` command finds them.
 */
export function clientsProviders({ clients, server }: PartTokens, name: string | undefined): Provider[] {
  const provider: Provider = { provide: clients, inject: [server], useFactory: administer };
  if (name !== undefined) return [provider];
  const named = { clients: clientsName(), server: serverName() };
  return [provider, { provide: named.clients, useExisting: clients }, { provide: named.server, useExisting: server }];
}

// A mock server of a test may have no options.
const administer = ({ options, events }: OAuth2Server) => new OAuth2Clients(options?.model ?? {}, events);
