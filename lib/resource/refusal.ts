import { sayRetryAfter, wireCode } from '../error-response.js';
import {
  InsufficientScopeError,
  InvalidTokenError,
  OAuthError,
  type RefusalDetail,
  toOAuthError,
  UnauthorizedRequestError,
} from '../errors.js';
import { type EventSink, reportRefusal } from '../events.js';
import type { Refused, With } from '../feature.js';
import type { Response } from '../http/response.js';
import type { Falsy, Token } from '../model/model.js';
import { scopeText } from '../tokens/scope.js';

/** What more a challenge may say. */
interface Challenged extends Partial<Omit<Refused, 'error'>> {
  /** Names, where it is the scope that is missing, what would do. RFC 6750 §3 */
  scope?: string | undefined;
}

/** Says on the response why the request is refused; a request without a token learns only the scheme. RFC 6750 §3 */
export function refuse(response: Response, error: OAuthError, asked: Challenged = {}): OAuthError {
  response.status = error.code;
  if (error.code >= 500) {
    sayRetryAfter(response, error);
    return error;
  }
  let challenge = 'Bearer realm="Service"';
  if (!(error instanceof UnauthorizedRequestError)) challenge += `,error="${wireCode(error)}"`;
  if (asked.scope && error instanceof InsufficientScopeError) challenge += `,scope="${asked.scope}"`;
  const features = asked.server?.hooks.challenge;
  try {
    if (features?.length) challenge += challengeOf(features, { ...asked, error } as Refused);
  } catch (fault) {
    return refuse(response, toOAuthError(fault));
  }
  response.headers['www-authenticate'] = challenge;
  return error;
}

/** What features add to a challenge; a value that cannot be quoted is not said. RFC 9110 §11.2 */
function challengeOf(features: readonly With<'challenge'>[], refused: Refused): string {
  return features
    .flatMap((feature) => Object.entries(feature.challenge(refused) ?? {}))
    .filter(([, value]) => typeof value === 'string' && /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(value))
    .map(([name, value]) => `,${name}="${value}"`)
    .join('');
}

/** What the request was refused for, as far as it is known. */
interface Reason {
  token: Token | Falsy;
  required: string | undefined;
  issuer: string | undefined;
}

/** Tells the operator why a request is refused. */
export function reportAccessRefusal(events: EventSink | undefined, error: OAuthError, refused: Reason): void {
  const { token, required, issuer } = refused;
  reportRefusal(events, 'access.refused', error, () => ({
    endpoint: 'resource',
    issuer,
    clientId: (token && token.client?.id) || undefined,
    userId: (token && token.user?.['id']) || undefined,
    scope: required,
    grantId: (token && token.grantId) || undefined,
    ...(OAuthError.detailOf(error) ? undefined : ruleOf(error, refused)),
  }));
}

/** Made here and not where it is thrown: most refusals are of tokens, and mostly nobody listens. */
function ruleOf(error: OAuthError, { token, required }: Reason): RefusalDetail | undefined {
  if (!token) return error instanceof InvalidTokenError ? { rule: '`getAccessToken()` finds the token' } : undefined;
  if (error instanceof InsufficientScopeError) {
    return { rule: 'the token has the scope of the route', wanted: required, given: scopeText(token.scope) };
  }
  if (!(error instanceof InvalidTokenError)) return undefined;
  return { rule: 'the token has not expired', given: token.accessTokenExpiresAt };
}
