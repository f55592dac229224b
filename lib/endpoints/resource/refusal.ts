import { setRetryAfter, wireCode } from '../../http/error-response.js';
import {
  InsufficientScopeError,
  InvalidTokenError,
  OAuthError,
  type RefusalDetail,
  toOAuthError,
  UnauthorizedRequestError,
} from '../../errors/index.js';
import { type EventSink, refusalEventName, reportRefusal } from '../../events/events.js';
import type { RejectedRequest, ResourceHooks, ServerContext } from '../../contracts/feature.js';
import type { HookLists } from '../../contracts/hooks.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { Falsy, Token } from '../../model/model.js';
import { scopeText } from '../../tokens/scope.js';
import { schemeOf } from './bearer-token.js';
import { stepUpOf } from './user-authentication.js';

/** The optional details of a rejected request, from which its challenge is made. */
interface ChallengeDetails extends Partial<Omit<RejectedRequest, 'error'>> {
  /** The required scope, which the challenge contains if the scope of the token is insufficient. RFC 6750 §3 */
  scope?: string | undefined;
}

/**
 * Writes the status of an error and the `WWW-Authenticate` challenge to the response of a protected resource. The
 * challenge to a request without a token does not contain the error. A server error gets no challenge. RFC 6750 §3
 * @returns The error to throw.
 */
export function rejectRequest(response: Response, error: OAuthError, details: ChallengeDetails = {}): OAuthError {
  response.status = error.code;
  if (error.code >= 500) {
    setRetryAfter(response, error);
    return error;
  }
  let parameters = 'realm="Service"';
  if (!(error instanceof UnauthorizedRequestError)) parameters += `,error="${wireCode(error)}"`;
  if (details.scope && error instanceof InsufficientScopeError) parameters += `,scope="${details.scope}"`;
  if (error.name === 'insufficient_user_authentication') {
    parameters += quoted(Object.entries(stepUpOf(error)).map(([name, value]) => [name, String(value)]));
  }
  const challenges = details.server?.hooks.resource.challenge;
  try {
    if (challenges?.length) parameters += featureParameters(challenges, { ...details, error } as RejectedRequest);
  } catch (failure) {
    return rejectRequest(response, toOAuthError(failure));
  }
  const schemes = details.server?.tokenSchemes;
  response.headers['www-authenticate'] = schemes?.size
    ? challengesForSchemes(parameters, schemes, details.request)
    : `Bearer ${parameters}`;
  return error;
}

/**
 * Returns the challenges of a response as text. A client that used a scheme other than `Bearer` gets only the challenge
 * of that scheme. Other clients get one challenge for each supported scheme. RFC 9449 §7.1
 */
function challengesForSchemes(
  parameters: string,
  schemes: ServerContext['tokenSchemes'],
  request: Request | undefined,
): string {
  const used = request && schemeOf(request, schemes.keys());
  if (used !== undefined) return `${used} ${parameters}${quoted(Object.entries(schemes.get(used)!))}`;
  const others = [...schemes].map(([scheme, own]) => `, ${scheme} ${quoted(Object.entries(own)).slice(1)}`);
  return `Bearer ${parameters}${others.join('')}`;
}

/** Returns the parameters that features add to a challenge, as text. */
function featureParameters(challenges: HookLists<ResourceHooks>['challenge'], refused: RejectedRequest): string {
  return quoted(challenges.flatMap((challenge) => Object.entries(challenge(refused) ?? {})));
}

/**
 * Returns the parameters of a challenge as text, each after a comma. Values with characters that cannot be quoted are
 * omitted. RFC 9110 §11.2
 */
function quoted(parameters: readonly [string, string][]): string {
  return parameters
    .filter(([, value]) => typeof value === 'string' && /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(value))
    .map(([name, value]) => `,${name}="${value}"`)
    .join('');
}

/** The token, required scope and issuer of a refused request, as far as they are known. */
interface RefusedAccess {
  token: Token | Falsy;
  required: string | undefined;
  issuer: string | undefined;
  /** The ID of the endpoint, or `resource` for a protected resource of the application. */
  endpoint: string;
}

/**
 * Emits the event for a request whose access token is refused, if it has listeners: `access.refused` at a protected
 * resource of the application, otherwise the event of the endpoint.
 */
export function reportAccessRefusal(events: EventSink | undefined, error: OAuthError, refused: RefusedAccess): void {
  const { token, required, issuer, endpoint } = refused;
  reportRefusal(events, refusalEventName(endpoint), error, () => ({
    endpoint,
    issuer,
    clientId: (token && token.client?.id) || undefined,
    userId: (token && token.user?.['id']) || undefined,
    scope: required,
    grantId: (token && token.grantId) || undefined,
    ...(OAuthError.detailOf(error) ? undefined : defaultDetailOf(error, refused)),
  }));
}

/**
 * Returns a refusal detail for an error to which none is attached. `undefined` if the error alone does not show a
 * reason. It is only created for an event that has listeners, because refusals are frequent.
 */
function defaultDetailOf(error: OAuthError, { token, required }: RefusedAccess): RefusalDetail | undefined {
  if (!token) return error instanceof InvalidTokenError ? UNKNOWN_TOKEN : undefined;
  if (error instanceof InsufficientScopeError) {
    return {
      reason: 'access token lacks the scope that the route requires',
      expected: required,
      given: scopeText(token.scope),
      remedy: 'request a token with this scope, or correct the scope that the route requires, such as in `@Scopes()`',
    };
  }
  if (!(error instanceof InvalidTokenError)) return undefined;
  return {
    reason: 'access token has expired',
    given: token.accessTokenExpiresAt,
    remedy: 'get a new access token with the refresh token, or sign the user in again',
  };
}

const UNKNOWN_TOKEN: RefusalDetail = {
  reason: '`getAccessToken()` returned no token',
  remedy:
    'get a new access token from this server: this one is expired, revoked, of another server or of another store, such as ' +
    'a `MemoryStore` that was restarted',
};
