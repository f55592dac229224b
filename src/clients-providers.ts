import type { Provider } from '@nestjs/common';
import { OAuth2Clients, type OAuth2Server } from '../lib/index.js';
import { clientsName } from '../lib/server-token.js';
import type { PartTokens } from './oauth2.tokens.js';

/** What administers the clients of one import; of the server without a name, under a name as well. */
export function clientsProviders({ clients, server }: PartTokens, name: string | undefined): Provider[] {
  const provider: Provider = { provide: clients, inject: [server], useFactory: administer };
  return name === undefined ? [provider, { provide: clientsName(), useExisting: clients }] : [provider];
}

// Of a server that a test has replaced, the model need not be known.
const administer = ({ options, events }: OAuth2Server) => new OAuth2Clients(options?.model ?? {}, events);
