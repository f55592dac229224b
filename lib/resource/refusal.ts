import { sayRetryAfter, wireCode } from '../error-response.js';
import {
  InsufficientScopeError,
  InvalidTokenError,
  OAuthError,
  type RefusalDetail,
  UnauthorizedRequestError,
} from '../errors.js';
import { type EventSink, isHeard, refusalEvent, report } from '../events.js';
import type { Response } from '../http/response.js';
import type { Falsy, Token } from '../model/model.js';
import { scopeText } from '../tokens/scope.js';

/**
 * Says on the response why the request is refused; a request without a token learns only the scheme.
 * @param scope names, where it is the scope that is missing, what would do. RFC 6750 §3
 */
export function refuse(response: Response, error: OAuthError, scope = ''): OAuthError {
  response.status = error.code;
  if (error.code >= 500) {
    sayRetryAfter(response, error);
    return error;
  }
  let challenge = 'Bearer realm="Service"';
  if (!(error instanceof UnauthorizedRequestError)) challenge += `,error="${wireCode(error)}"`;
  if (scope && error instanceof InsufficientScopeError) challenge += `,scope="${scope}"`;
  response.headers['www-authenticate'] = challenge;
  return error;
}

/** What the request was refused for, as far as it is known. */
interface Refused {
  token: Token | Falsy;
  required: string | undefined;
}

/** Tells the operator why a request is refused. A fault is no refusal: it is the host's to log. */
export function reportAccessRefusal(events: EventSink | undefined, error: OAuthError, refused: Refused): void {
  if (error.code >= 500 || !isHeard(events, 'access.refused')) return;
  const { token, required } = refused;
  const facts = {
    endpoint: 'resource',
    clientId: (token && token.client?.id) || undefined,
    userId: (token && token.user?.['id']) || undefined,
    scope: required,
    grantId: (token && token.grantId) || undefined,
  };
  const detail = OAuthError.detailOf(error) ?? ruleOf(error, refused);
  report(events, 'access.refused', { ...refusalEvent(error, facts), ...detail });
}

/** Made here and not where it is thrown: most refusals are of tokens, and mostly nobody listens. */
function ruleOf(error: OAuthError, { token, required }: Refused): RefusalDetail | undefined {
  if (!token) return error instanceof InvalidTokenError ? { rule: '`getAccessToken()` finds the token' } : undefined;
  if (error instanceof InsufficientScopeError) {
    return { rule: 'the token has the scope of the route', wanted: required, given: scopeText(token.scope) };
  }
  if (!(error instanceof InvalidTokenError)) return undefined;
  return { rule: 'the token has not expired', given: token.accessTokenExpiresAt };
}
