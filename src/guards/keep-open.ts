import type { OAuth2Server, Request, Token } from '../../lib/index.js';
import { withContext } from '../module/oauth2-context.js';
import { OpenConnections } from './open-connections.js';
import type { OpenStream } from './transports/transport.js';

const connections = new WeakMap<OAuth2Server, Map<number, OpenConnections>>();

/** What is known of whoever is let in; it is closed over here, since the guard would make room for that with every request. */
interface Opened {
  readonly server: OAuth2Server;
  readonly request: Request;
  /** Seconds between two looks at the model; 0: none. */
  readonly recheck: number;
}

/** Closes the stream when the token is over that has opened it. */
export function keepOpen(token: Token, stream: OpenStream, { server, request, recheck }: Opened): void {
  connectionsOf(server, recheck)?.keep(token, stream, (look) => withContext(server, request, look));
}

/** Those of a server, whichever of its guards has let them in; undefined for a stand-in that has no model. */
function connectionsOf(server: OAuth2Server, recheck: number): OpenConnections | undefined {
  const model = server.facts?.options.model;
  if (!model) return undefined;
  const known = connections.get(server) ?? new Map<number, OpenConnections>();
  connections.set(server, known);
  let found = known.get(recheck);
  if (!found) known.set(recheck, (found = new OpenConnections(model, recheck)));
  return found;
}
