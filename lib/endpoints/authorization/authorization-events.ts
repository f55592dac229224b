import type { OAuthError } from '../../errors/index.js';
import type { OAuth2EventName } from '../../events/catalog.js';
import { type EventSink, hasListener, reportEvent, reportRefusal, shortText } from '../../events/events.js';
import type { Request } from '../../http/request.js';
import type { CoreClient, User } from '../../model/model.js';
import type { AuthorizationRequest, AuthorizationResponse } from '../../contracts/response-type.js';
import { scopeText } from '../../tokens/scope.js';

/**
 * The client, user and issuer of a refused authorization request, as far as they are known, and whether the user denied
 * it.
 */
export interface RefusedAuthorization {
  client?: CoreClient;
  user?: User | undefined;
  /** Whether the user denied the request. */
  denied?: boolean | undefined;
  issuer?: string | undefined;
}

/**
 * Emits the events of a granted authorization request: `authorization.granted`, and `code.issued`, `token.issued` or
 * both.
 */
export function reportGranted(
  events: EventSink,
  { client, responseType, issuer }: AuthorizationRequest,
  { user, response }: { user: User; response: AuthorizationResponse },
): void {
  const names: OAuth2EventName[] = ['authorization.granted'];
  const isToken = 'accessToken' in response.result;
  if (isToken || 'access_token' in response.parameters) names.push('token.issued');
  if (!isToken && 'authorizationCode' in response.result) names.push('code.issued');
  for (const name of names) {
    if (!hasListener(events, name)) continue;
    const { scope, grantId } = response;
    const details = { endpoint: 'authorize', issuer, clientId: client.id, userId: user['id'], responseType };
    reportEvent(events, name as 'authorization.granted', { ...details, scope: scopeText(scope), grantId });
  }
}

/**
 * Emits the event of a refused authorization request: `consent.denied` if the user denied it, otherwise
 * `authorization.refused`.
 */
export function reportAuthorizationRefusal(
  events: EventSink | undefined,
  request: Request,
  error: OAuthError,
  details?: RefusedAuthorization,
): void {
  const name = details?.denied ? 'consent.denied' : 'authorization.refused';
  reportRefusal(events, name, error, () => ({
    endpoint: 'authorize',
    issuer: details?.issuer,
    clientId: details?.client?.id ?? sentParameter(request, 'client_id'),
    userId: details?.user?.['id'],
    responseType: sentParameter(request, 'response_type'),
    scope: sentParameter(request, 'scope'),
  }));
}

function sentParameter(request: Request, name: string): string | undefined {
  return shortText(request.body?.[name]) ?? shortText(request.query?.[name]);
}

const pendingSignIns = new WeakSet<OAuthError>();

/**
 * Marks the error of a request whose user was redirected to the login page. It is not a failure, so it is neither
 * logged nor counted.
 * @returns the same error
 */
export function markSignInPending(error: OAuthError): OAuthError {
  pendingSignIns.add(error);
  return error;
}

/** Whether the error only means that the user was redirected to the login page. */
export const isSignInPending = (error: OAuthError): boolean => pendingSignIns.has(error);
