import { toOAuthError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { EventSink } from '../../events/events.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import { reportAccessRefusal } from './refusal.js';
import { isFirstRefusal } from './shared-look-ups.js';

/** The server that admits a request, and the receiver of the event of a refusal. */
interface Admission {
  server: ServerContext;
  events: EventSink | undefined;
  /** The ID of the endpoint. Default: `resource`, a protected resource of the application. */
  endpoint?: string;
}

/**
 * Runs the `resource.admit` hooks of the features on a request, before its token is read. A refusal is emitted to
 * `events`, and has no `WWW-Authenticate` challenge, because another token would not help.
 * @throws {OAuthError} If a feature rejects the request.
 */
export function admitRequest(
  request: Request,
  response: Response,
  { server, events, endpoint = 'resource' }: Admission,
): void {
  try {
    for (const admit of server.hooks.resource.admit) admit(request, server);
  } catch (error) {
    const failure = toOAuthError(error);
    response.status = failure.code;
    if (events && isFirstRefusal(request, failure.message)) {
      const refused = { token: undefined, required: undefined, issuer: server.issuerOf(request), endpoint };
      reportAccessRefusal(events, failure, refused);
    }
    throw failure;
  }
}
