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
  readonly sent: Request;
  readonly issuer: string | undefined;
  readonly user: User | undefined;
  readonly isValid: boolean;
}

/**
 * Whether an error may be returned to the client by a redirect. For a client that has registered itself, the user must be authenticated
 * first, or the authorization endpoint would be an open redirector. The exception is a valid request with `prompt=none`: it must be
 * answered without showing anything. RFC 9700 §4.11.2, OpenID Connect Core 1.0 §3.1.2.6
 */
export function mayRedirectError({ client, user, isValid, sent }: DeferrableRequest, server: ServerContext): boolean {
  if (user !== undefined || !isSelfRegistered(client)) return true;
  return isValid && isSilent(sent, server);
}

/** Whether the request has `prompt=none`, at a server that supports `prompt`. */
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
  /** The client and its redirect URI; the other parameters are not read. */
  readonly asked: AuthorizationRequest;
  /** Whether the user must not be asked to sign in. */
  readonly silent: boolean;
}

const deferredErrors = new WeakMap<OAuthError, DeferredError>();

/** Keeps the request with its error, for `deferredErrorOf()`. */
export const deferError = (error: OAuthError, request: DeferredError): void => void deferredErrors.set(error, request);

/**
 * Returns the request whose error `readAuthorizationRequest()` has rejected with, if the error may be returned to the client once the
 * user is authenticated: by `decide(asked, { user, error })`.
 */
export const deferredErrorOf = (error: unknown): DeferredError | undefined =>
  error instanceof Error ? deferredErrors.get(error as OAuthError) : undefined;

/** Returns the client and redirect URI of an authorization request whose other parameters are invalid. */
export function invalidRequest({ sent: request, issuer, ...destination }: DeferrableRequest): AuthorizationRequest {
  const { client, redirectUri, redirectUriSent } = destination;
  const asked = { client, redirectUri, redirectUriSent, responseType: '', responseMode: 'query', data: {}, request };
  return issuer === undefined ? asked : { ...asked, issuer };
}
