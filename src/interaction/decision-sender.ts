import { reportAuthorizationRefusal, senderOf, respondWithError } from '../../lib/internal.js';
import { AccessDeniedError, type OAuth2Server, type Request, type Response } from '../../lib/index.js';
import type { NativeRequest } from '../http/http-adapter.js';

const OTHER_SITE = 'Access denied: the decision was sent by a page of another site';

/**
 * Rejects a consent decision that a page of another site has sent (CSRF). Without TLS, a browser may send no origin for
 * an own page; then only the CSRF token is verified. RFC 9700 §4.7
 * @throws {AccessDeniedError} (403) If another site sent the decision. The error is shown in the browser and not
 * returned to the client.
 */
export function verifySender(native: NativeRequest, request: Request, response: Response, server: OAuth2Server): void {
  const { events, context } = server;
  if (!hasDecision(native) || senderOf(request, context.issuerOf(request)) !== 'other') return;
  const given = request.get('origin') ?? request.get('sec-fetch-site');
  const error = new AccessDeniedError(OTHER_SITE, { code: 403 });
  error.because({
    reason: 'consent decision was sent by a page of another site',
    expected: request.get('host'),
    given,
  });
  reportAuthorizationRefusal(events, request, error);
  throw respondWithError(response, error);
}

/**
 * Whether a request contains a consent decision or a choice. Other sites may send authorization requests, but neither of
 * these.
 */
function hasDecision({ method, body }: NativeRequest): boolean {
  const { csrf_token: csrfToken, decision, choice } = (body ?? {}) as Record<string, unknown>;
  return method === 'POST' && (csrfToken ?? decision ?? choice) !== undefined;
}
