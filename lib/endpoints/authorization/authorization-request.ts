import { isPublicClient } from '../../clients/none.js';
import {
  InvalidRequestError,
  RequestNotSupportedError,
  RequestUriNotSupportedError,
  UnsupportedResponseTypeError,
} from '../../errors/index.js';
import { FORM_OR_URL, optional, required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isNotEmpty, isVSCHAR } from '../../http/syntax.js';
import type { CoreClient } from '../../model/model.js';
import type { Options } from '../../options/resolve-options.js';
import { hasChallenge, readChallenge } from './pkce.js';
import { requestedScope } from '../../tokens/scope.js';
import { findResponseType } from './destination.js';
import { readResponseMode, type ResponseModes } from '../../contracts/response-mode.js';
import { isPushedRequestUri } from './pushed-request-uri.js';
import {
  type AuthorizationRequest,
  type Destination,
  responseTypeName,
  type ResponseTypes,
} from '../../contracts/response-type.js';

/** The response types and response modes that a server supports, by name. */
interface SupportedResponses {
  responseTypes: ResponseTypes;
  responseModes: ResponseModes;
}

/**
 * Reads and validates the parameters of an authorization request, once its client and redirect URI are known. The
 * caller returns errors to the client. RFC 6749 §4.1.1
 */
export function readAuthorizationRequest(
  {
    effectiveRequest: request,
    issuer,
    client,
    redirectUri,
    redirectUriSent,
  }: Destination & { readonly effectiveRequest: Request; readonly issuer: string | undefined },
  { options, server: { responseTypes: types, responseModes } }: { options: Options; server: SupportedResponses },
): AuthorizationRequest {
  const state = readState(request);
  verifyNoRequestObject(request);
  if (state === undefined && !mayOmitState(request, types, options)) {
    const reason = '`state` is missing, and neither PKCE nor the option `allowEmptyState` makes it optional';
    throw new InvalidRequestError('Missing parameter: `state`').because({ reason });
  }
  const scope = requestedScope(request, FORM_OR_URL);
  const given = required(request, 'response_type', isNotEmpty, FORM_OR_URL);
  const responseType = responseTypeName(given, types);
  const type = types.get(responseType);
  if (!type) {
    const detail = { reason: 'response type is not supported', expected: [...types.keys()], given };
    throw new UnsupportedResponseTypeError('Unsupported response type: `response_type` is not supported').because(
      detail,
    );
  }
  const responseMode = readResponseMode(request, type, responseModes);
  const challenge = readChallenge(request, options.enablePlainPKCE);
  if (!challenge && type.supportsPkce && requiresChallenge(client, options)) {
    const detail = {
      reason: 'the option `requirePKCE` requires a code challenge from this client',
      expected: options.requirePKCE,
    };
    throw new InvalidRequestError('Missing parameter: `code_challenge`').because(detail);
  }
  const { codeChallenge, codeChallengeMethod } = challenge ?? {};
  return {
    client,
    redirectUri,
    redirectUriSent,
    responseType,
    responseMode,
    requestedScope: scope,
    state,
    codeChallenge,
    codeChallengeMethod,
    issuer,
    data: {},
    request,
  };
}

/**
 * Rejects a `request` or `request_uri` that no installed feature supports. Ignoring it would change the meaning of the
 * request. RFC 9101 §7, OpenID Connect Core 1.0 §6
 */
function verifyNoRequestObject(request: Request): void {
  if (optional(request, 'request', isNotEmpty, FORM_OR_URL) !== undefined) {
    throw new RequestNotSupportedError('Request not supported: this server does not support the parameter `request`');
  }
  const uri = optional(request, 'request_uri', isNotEmpty, FORM_OR_URL);
  if (uri === undefined || isPushedRequestUri(uri)) return;
  throw new RequestUriNotSupportedError('Request URI not supported: this server does not support this `request_uri`');
}

/**
 * Whether the request may omit `state`. The option `allowEmptyState` decides if it is set. Otherwise the request must
 * have a PKCE challenge, which prevents CSRF as well, and a response type with a code. OAuth 2.1 §4.1.1
 */
function mayOmitState(request: Request, types: ResponseTypes, { allowEmptyState }: Options): boolean {
  if (allowEmptyState !== undefined) return Boolean(allowEmptyState);
  return hasChallenge(request) && findResponseType(request, types)?.supportsPkce !== false;
}

function requiresChallenge(client: CoreClient, { requirePKCE }: Options): boolean {
  return requirePKCE === 'all' || (requirePKCE === 'public' && isPublicClient(client));
}

/**
 * Returns the parameter `state`, which error responses also contain. `undefined` if it is missing.
 * @throws {InvalidRequestError} If `state` contains characters that are not allowed.
 */
export function readState(request: Request): string | undefined {
  return optional(request, 'state', isVSCHAR, FORM_OR_URL);
}
