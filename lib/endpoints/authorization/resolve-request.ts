import { InvalidRequestError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { ResolvedRequest } from '../../contracts/resolved-request.js';
import type { Request } from '../../http/request.js';

/**
 * Returns the request that contains the parameters: the browser's request, or the request that a feature returns
 * instead, such as a pushed request or a request object.
 * @throws {InvalidRequestError} If more than one feature returns a request. RFC 9126 §4
 */
export async function resolveRequest(request: Request, server: ServerContext): Promise<ResolvedRequest> {
  let first: ResolvedRequest | undefined;
  for (const resolve of server.hooks.authorization.resolve) {
    const resolved = await resolve(request);
    if (first && resolved)
      throw new InvalidRequestError('Invalid request: its parameters come from more than one source');
    first ??= resolved || undefined;
  }
  return first ?? { request };
}
