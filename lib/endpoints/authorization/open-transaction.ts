import { isSelfRegistered } from '../../clients/registration/self-registered.js';
import type { ResolvedRequest } from '../../contracts/resolved-request.js';
import type { ResponseType } from '../../contracts/response-type.js';
import { InvalidArgumentError, toOAuthError } from '../../errors/index.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { AuthorizationContext } from './authorization-context.js';
import { userDenied } from './authorization-errors.js';
import { renderError, sendError } from './authorization-response.js';
import { AuthorizationTransaction } from './authorization-transaction.js';
import {
  defaultResponseType,
  findRedirectUri,
  findResponseType,
  findUnknown,
  readDestination,
  verifyClient,
  verifyResponseTypeAllowed,
} from './destination.js';
import { resolveRequest } from './resolve-request.js';

/**
 * Finds the client and the redirect URI of an authorization request, and returns its transaction. The browser is not
 * redirected before both are known.
 * @param denied Whether the request contains `allowed=false`, by which the legacy `oauth2-server` interface denies it.
 */
export async function openTransaction(
  context: AuthorizationContext,
  request: Request,
  response: Response,
  denied = false,
): Promise<AuthorizationTransaction> {
  const { server } = context;
  const { model } = context.options;
  const { responseTypes } = server;
  const issuer = server.issuerOf(request);
  let resolved: ResolvedRequest | undefined;
  let responseType: ResponseType | undefined;
  let transaction: AuthorizationTransaction;
  try {
    if (server.hooks.authorization.resolve.length > 0) resolved = await resolveRequest(request, server);
    const effectiveRequest = resolved?.request ?? request;
    responseType = findResponseType(effectiveRequest, responseTypes);
    context.verifyModel(responseType ?? defaultResponseType(responseTypes));
    const { clientId, requestedUri } = readDestination(effectiveRequest);
    // The steps of `findClient()`, which would be one more async function on the way of each request.
    const known = await model.getClient(clientId, null);
    const client = verifyClient(known || (await findUnknown(clientId, server, effectiveRequest)), clientId, server);
    const uri = findRedirectUri(requestedUri, client, { request: effectiveRequest, model, server });
    const redirectUri = typeof uri === 'string' ? uri : await uri;
    const destination = { client, redirectUri, redirectUriSent: requestedUri !== undefined };
    transaction = new AuthorizationTransaction(context, destination, { effectiveRequest, issuer, resolved });
  } catch (error) {
    // A missing model method is an error of the application, whatever the user decided.
    const failure = denied && !(error instanceof InvalidArgumentError) ? userDenied() : toOAuthError(error);
    throw renderError(context, {
      error: failure,
      effectiveRequest: resolved?.request ?? request,
      response,
      denied,
      issuer,
    });
  }
  try {
    // A self-registered client is verified in `read()`, since its errors must wait until the user is signed in.
    if (!denied && !isSelfRegistered(transaction.client))
      verifyResponseTypeAllowed(responseType, transaction.client, responseTypes);
    return transaction;
  } catch (error) {
    throw await sendError(context, transaction, error, response);
  }
}
