import type { Provider } from '@nestjs/common';
import { serverName } from '../../lib/adapter/index.js';
import { OAuth2Clients, type OAuth2Server } from '../../lib/index.js';
import { clientsName } from './provider-names.js';
import type { PartTokens } from '../oauth2.tokens.js';

/** What administers the clients of one import; of the server without a name, both under a name as well: for the command. */
export function clientsProviders({ clients, server }: PartTokens, name: string | undefined): Provider[] {
  const provider: Provider = { provide: clients, inject: [server], useFactory: administer };
  if (name !== undefined) return [provider];
  const named = { clients: clientsName(), server: serverName() };
  return [provider, { provide: named.clients, useExisting: clients }, { provide: named.server, useExisting: server }];
}

// Of a server that a test has replaced, the model need not be known.
const administer = ({ options, events }: OAuth2Server) => new OAuth2Clients(options?.model ?? {}, events);
