import { capability, type Model, type OAuth2Server, type Request, type Token } from '../../lib/index.js';
import { withContext } from '../module/oauth2-context.js';
import { OpenConnections } from './open-connections.js';
import type { OpenStream } from './transports/transport.js';

/** The open connections of one server, shared by all of its guards. */
export class ServerConnections {
  private readonly byInterval = new Map<number, OpenConnections>();

  constructor(private readonly model: Pick<Model, 'getAccessToken'>) {}

  /**
   * Returns the connections whose tokens are looked up again at this interval, in seconds. `0`: they are not looked up
   * again.
   */
  withInterval(recheck: number): OpenConnections {
    let connections = this.byInterval.get(recheck);
    if (!connections) this.byInterval.set(recheck, (connections = new OpenConnections(this.model, recheck)));
    return connections;
  }
}

/** The capability key of the open connections of a server. `OAuth2Module` provides them. */
export const CONNECTIONS = capability<ServerConnections>('open connections', 'OAuth2Module');

/** An accepted request that opened a connection or stream. */
interface AcceptedRequest {
  readonly server: OAuth2Server;
  readonly request: Request;
  readonly connections: OpenConnections;
}

/** Closes a stream when the access token that opened it expires or is revoked. */
export function closeWithToken(
  token: Token,
  stream: OpenStream,
  { server, request, connections }: AcceptedRequest,
): void {
  connections.add(token, stream, (look) => withContext(server.context, request, look));
}
