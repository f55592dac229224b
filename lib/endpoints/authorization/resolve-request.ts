import { InvalidRequestError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { ResolvedRequest } from '../../contracts/resolved-request.js';
import type { Request } from '../../http/request.js';

/** The authorization request that a request stands for: itself, unless a feature says otherwise. RFC 9126 §4 */
export async function resolveRequest(request: Request, server: ServerContext): Promise<ResolvedRequest> {
  let found: ResolvedRequest | undefined;
  for (const resolve of server.hooks.authorization.resolve) {
    const resolved = await resolve(request);
    if (found && resolved) throw new InvalidRequestError('Invalid request: its parameters are in two places');
    found ??= resolved || undefined;
  }
  return found ?? { request };
}
