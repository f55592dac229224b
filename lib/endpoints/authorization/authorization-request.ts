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
  type ResponseType,
  responseTypeName,
  type ResponseTypes,
} from '../../contracts/response-type.js';

/** What may be asked for, and how it may be answered. */
interface SupportedResponses {
  responseTypes: ResponseTypes;
  responseModes: ResponseModes;
}

/** Reads and checks the rest of the request. What fails here is told to the client, by redirect. */
export function readAuthorizationRequest(
  {
    sent: request,
    issuer,
    client,
    redirectUri,
    redirectUriSent,
  }: Destination & { readonly sent: Request; readonly issuer: string | undefined },
  { options, server: { responseTypes: types, responseModes } }: { options: Options; server: SupportedResponses },
): AuthorizationRequest {
  const state = readState(request);
  verifyNoRequestObject(request);
  const type = findResponseType(request, types);
  if (state === undefined && !mayOmitState(request, type, options)) {
    const reason = 'a request without PKCE challenge has a `state`, unless `allowEmptyState` says otherwise';
    throw new InvalidRequestError('Missing parameter: `state`').because({ reason });
  }
  const scope = requestedScope(request, FORM_OR_URL);
  const responseType = required(request, 'response_type', isNotEmpty, FORM_OR_URL);
  if (!type) {
    const detail = { reason: 'the response type is served', expected: [...types.keys()], given: responseType };
    throw new UnsupportedResponseTypeError('Unsupported response type: `response_type` is not supported').because(
      detail,
    );
  }
  const responseMode = readResponseMode(request, type, responseModes);
  const challenge = readChallenge(request, options.enablePlainPKCE);
  if (!challenge && type.supportsPkce && requiresChallenge(client, options)) {
    const detail = { reason: 'a client that `requirePKCE` names sends a challenge', expected: options.requirePKCE };
    throw new InvalidRequestError('Missing parameter: `code_challenge`').because(detail);
  }
  const { codeChallenge, codeChallengeMethod } = challenge ?? {};
  return {
    client,
    redirectUri,
    redirectUriSent,
    responseType: responseTypeName(responseType, types),
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

/** What nobody has read is refused: to do without it is to do something else than was asked. RFC 9101 §7, OpenID Connect Core §6 */
function verifyNoRequestObject(request: Request): void {
  if (optional(request, 'request', isNotEmpty, FORM_OR_URL) !== undefined) {
    throw new RequestNotSupportedError('Request not supported: `request` is not read here');
  }
  const uri = optional(request, 'request_uri', isNotEmpty, FORM_OR_URL);
  if (uri === undefined || isPushedRequestUri(uri)) return;
  throw new RequestUriNotSupportedError('Request URI not supported: `request_uri` is not read here');
}

/** A challenge keeps forged answers out as `state` does; a host that says how it wants it is obeyed. OAuth 2.1 §4.1.1 */
function mayOmitState(request: Request, responseType: ResponseType | undefined, { allowEmptyState }: Options): boolean {
  if (allowEmptyState !== undefined) return Boolean(allowEmptyState);
  return hasChallenge(request) && responseType?.supportsPkce !== false;
}

function requiresChallenge(client: CoreClient, { requirePKCE }: Options): boolean {
  return requirePKCE === 'all' || (requirePKCE === 'public' && isPublicClient(client));
}

/** Reads `state` as far as an error answer may carry it. */
export function readState(request: Request): string | undefined {
  return optional(request, 'state', isVSCHAR, FORM_OR_URL);
}
