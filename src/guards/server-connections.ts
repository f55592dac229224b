import { capability, type Model, type OAuth2Server, type Request, type Token } from '../../lib/index.js';
import { withContext } from '../module/oauth2-context.js';
import { OpenConnections } from './open-connections.js';
import type { OpenStream } from './transports/transport.js';

/** The open connections of one server, whichever of its guards has accepted them. */
export class ServerConnections {
  private readonly byInterval = new Map<number, OpenConnections>();

  constructor(private readonly model: Pick<Model, 'getAccessToken'>) {}

  /** Returns the connections whose tokens are looked up at this interval, in seconds. `0`: never. */
  withInterval(recheck: number): OpenConnections {
    let found = this.byInterval.get(recheck);
    if (!found) this.byInterval.set(recheck, (found = new OpenConnections(this.model, recheck)));
    return found;
  }
}

/** The open connections of a server that the module has made. */
export const CONNECTIONS = capability<ServerConnections>('open connections', 'OAuth2Module');

/** An accepted request that opened a stream. The guard needs these values only for streams. */
interface AcceptedRequest {
  readonly server: OAuth2Server;
  readonly request: Request;
  readonly connections: OpenConnections;
}

/** Closes the stream once the token that opened it is expired or revoked. */
export function closeWithToken(
  token: Token,
  stream: OpenStream,
  { server, request, connections }: AcceptedRequest,
): void {
  connections.add(token, stream, (look) => withContext(server.context, request, look));
}
