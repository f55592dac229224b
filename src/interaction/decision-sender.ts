import { reportAuthorizationRefusal, senderOf, writeError } from '../../lib/adapter/index.js';
import { AccessDeniedError, type OAuth2Server, type Request, type Response } from '../../lib/index.js';
import type { NativeRequest } from '../http/http-adapter.js';

const ELSEWHERE = 'Access denied: the decision was sent by a page of another site';

/**
 * Refuses a decision that a page of another site sends. A page of ours that sends no Referer may say no more than that
 * it hides, where there is no TLS: there the ticket decides alone. RFC 9700 §4.7
 * @throws AccessDeniedError, for the browser and not for the client
 */
export function verifySender(native: NativeRequest, request: Request, response: Response, server: OAuth2Server): void {
  const { events, context: facts } = server;
  if (!hasDecision(native) || senderOf(request, facts.issuerOf(request)) !== 'other') return;
  const given = request.get('origin') ?? request.get('sec-fetch-site');
  const error = new AccessDeniedError(ELSEWHERE, { code: 403 });
  error.because({ reason: 'a decision is sent by the page that asked for it', expected: request.get('host'), given });
  reportAuthorizationRefusal(events, request, error);
  throw writeError(response, error);
}

/** Does the form say what the user decided? Another site may send an authorization request, but never that. */
function hasDecision({ method, body }: NativeRequest): boolean {
  const { ticket, decision } = (body ?? {}) as Record<string, unknown>;
  return method === 'POST' && (ticket !== undefined || decision !== undefined);
}
