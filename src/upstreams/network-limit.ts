import { addressOf, countAttempt, type RateLimit } from '../../lib/internal.js';
import { networkOf, type Request, type Response, type ServerContext } from '../../lib/index.js';
import { tenantOf } from '../tenants/tenant-of.js';

/** A request to a server, and its response. */
interface CountedRequest {
  readonly server: ServerContext;
  readonly request: Request;
  readonly response: Response;
}

/**
 * Counts an attempt from the network of a request, at its tenant. Sets `Retry-After` if there were too many.
 * @returns a function that takes the attempt back from the count; `undefined` if there were too many
 */
export async function countFromNetwork(
  limit: RateLimit,
  { server, request, response }: CountedRequest,
): Promise<(() => Promise<void>) | undefined> {
  const address = addressOf(request);
  const key = JSON.stringify([tenantOf(server) ?? null, address && networkOf(address)]);
  const { wait, giveBack } = await countAttempt([[limit, key]], server.options.model);
  if (wait <= 0) return giveBack;
  response.set('retry-after', String(Math.ceil(wait)));
  return undefined;
}
