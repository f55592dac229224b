import { claimedId } from '../clients/authenticate-client.js';
import { shortText } from '../events/events.js';
import type { RunningOperation } from '../contracts/instrumentation.js';

/** The grant type of a token request: of figures there must not be as many as a client can think of. */
export function grantTypeOf({ name, request, server }: RunningOperation): string | undefined {
  if (name !== 'token') return undefined;
  const { grant_type: asked } = (request.body ?? {}) as Record<string, unknown>;
  if (typeof asked !== 'string') return undefined;
  const { extendedGrantTypes } = server.options;
  return server.grants.has(asked) || Object.hasOwn(extendedGrantTypes, asked) ? asked : '_OTHER';
}

/** The client: as the request says, or, of a guarded route, as the token that was found does. */
export function clientOf({ name, request, server }: RunningOperation, found?: unknown): string | undefined {
  if (name === 'authenticate') return shortText((found as { client?: { id?: unknown } } | undefined)?.client?.id);
  if (found !== undefined) return undefined;
  return claimedId(request, server.clientAuthentications) ?? shortText(request.query?.['client_id']);
}
