import type { OAuthError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { isSelfRegistered } from '../../clients/registration/self-registered.js';
import { FORM_OR_URL, optional } from '../../http/parameters.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { Request } from '../../http/request.js';
import type { User } from '../../model/model.js';
import type { AuthorizationRequest, Destination } from '../../contracts/response-type.js';

/** An authorization request whose error may have to wait until the user is authenticated. */
interface DeferrableRequest extends Destination {
  readonly effectiveRequest: Request;
  readonly issuer: string | undefined;
  readonly user: User | undefined;
  readonly isValid: boolean;
}

/**
 * Whether an error may be returned to the client by a redirect. For a client that has registered itself, the user must
 * be authenticated first. Otherwise the authorization endpoint would be an open redirector. The exception is a valid
 * request with `prompt=none`, which must be answered without showing a page. RFC 9700 §4.11.2, OpenID Connect Core
 * 1.0 §3.1.2.6
 */
export function mayRedirectError(
  { client, user, isValid, effectiveRequest }: DeferrableRequest,
  server: ServerContext,
): boolean {
  if (user !== undefined || !isSelfRegistered(client)) return true;
  return isValid && isSilent(effectiveRequest, server);
}

/** Whether the request contains `prompt=none` and the server supports `prompt`. */
export function isSilent(request: Request, { hooks }: Pick<ServerContext, 'hooks'>): boolean {
  if (hooks.authorization.requireInteraction.length === 0) return false;
  try {
    return optional(request, 'prompt', isVSCHAR, FORM_OR_URL) === 'none';
  } catch {
    return false;
  }
}

/** An invalid authorization request whose error may be returned to the client once the user is authenticated. */
export interface DeferredError {
  /** An authorization request with only its client and redirect URI. Its other parameters were not read. */
  readonly authorizationRequest: AuthorizationRequest;
  /** Whether the request contains `prompt=none`, so that no login page may be shown. */
  readonly silent: boolean;
}

const deferredErrors = new WeakMap<OAuthError, DeferredError>();

/** Stores the authorization request of an error, for `deferredErrorOf()`. */
export const deferError = (error: OAuthError, request: DeferredError): void => void deferredErrors.set(error, request);

/**
 * Returns the authorization request of an error with which `readAuthorizationRequest()` rejected, if that error may be
 * returned to the client once the user is authenticated. To return it, call
 * `decide(authorizationRequest, { user, error })`. Returns `undefined` for any other error.
 */
export const deferredErrorOf = (error: unknown): DeferredError | undefined =>
  error instanceof Error ? deferredErrors.get(error as OAuthError) : undefined;

/**
 * Returns an authorization request that has only its client and redirect URI, because its other parameters are invalid.
 */
export function invalidRequest({
  effectiveRequest: request,
  issuer,
  ...destination
}: DeferrableRequest): AuthorizationRequest {
  const { client, redirectUri, redirectUriSent } = destination;
  const authorizationRequest = {
    client,
    redirectUri,
    redirectUriSent,
    responseType: '',
    responseMode: 'query',
    data: {},
    request,
  };
  return issuer === undefined ? authorizationRequest : { ...authorizationRequest, issuer };
}
