import { shareLookUps } from '../../lib/internal.js';
import { type AuthenticateOptions, type OAuth2Server, type Request, Response, type Token } from '../../lib/index.js';
import { OpenConnections } from './open-connections.js';
import type { OpenStream } from './transports/transport.js';

/** The open connections of one server, shared by all of its guards. */
export class ServerConnections {
  private readonly byInterval = new Map<number, OpenConnections>();

  /**
   * Returns the connections whose tokens are verified again at this interval, in seconds. `0`: they are not verified
   * again.
   */
  withInterval(recheck: number): OpenConnections {
    let connections = this.byInterval.get(recheck);
    if (!connections) this.byInterval.set(recheck, (connections = new OpenConnections(recheck)));
    return connections;
  }
}

/** An accepted request that opened a connection or stream. */
interface AcceptedRequest {
  readonly server: OAuth2Server;
  readonly request: Request;
  /** The requirements of the route. */
  readonly options: AuthenticateOptions | undefined;
  /** Attaches the token to the request. It throws if the guard of the application does not accept the token. */
  readonly attach: (token: Token) => void;
  readonly connections: OpenConnections;
}

/**
 * Closes a stream when its access token expires, is revoked, or no longer meets the requirements of the route. The same
 * `authenticate()` decides as for a new request.
 */
export function closeWithToken(
  token: Token,
  stream: OpenStream,
  { server, request, options, attach, connections }: AcceptedRequest,
): void {
  connections.add(token, stream, {
    options,
    async verify(round) {
      // The look-up of the accepted request must not be used again.
      shareLookUps(request, round);
      const current = await server.authenticate(request, new Response(), options);
      attach(current);
      return current;
    },
  });
}
