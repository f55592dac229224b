import { InvalidRequestError, InvalidScopeError } from '../errors/index.js';
import { codeResponse } from '../features/authorization-code/code-response.js';
import { respondWithToken, tokenResponseType } from '../features/implicit.js';
import type { Model, User } from '../model/model.js';
import type { AuthorizationRequest, AuthorizationResponse, ResponseType } from '../contracts/response-type.js';
import { coversScope } from '../tokens/scope.js';
import type { FrontChannelType } from './front-channel-types.js';
import { signIdToken } from './id-token.js';
import type { Provider } from './provider.js';
import { OPENID_SCOPE } from './scopes.js';

/**
 * Returns a response type that returns an ID token, or an access token together with a code, through the browser.
 * Clients also need the grant `implicit`. OpenID Connect Core §3.2, §3.3
 */
export function frontChannelType(name: FrontChannelType, provider: () => Provider): ResponseType {
  const values = name.split(' ');
  const hasCode = values.includes('code');
  const hasAccessToken = values.includes('token');

  async function prepare(request: AuthorizationRequest, user: User, model: Model) {
    const { client, grantedScope: scope, issuer, data: stored } = request;
    if (!coversScope(scope, OPENID_SCOPE)) throw notGranted();
    const recipient = {
      client,
      user,
      scope,
      issuer,
      stored,
      nonce: stored['nonce'],
      hasNoAccessToken: name === 'id_token',
    };
    return await provider().idTokens.create(model, recipient);
  }

  return {
    grantType: 'implicit',
    furtherGrantTypes: hasCode ? [codeResponse.grantType] : [],
    mode: 'fragment',
    supportsPkce: hasCode,
    requires: [...(hasCode ? codeResponse.requires : []), ...(hasAccessToken ? tokenResponseType.requires : [])],

    async respond(request, user, context) {
      const { client, grantedScope: scope } = request;
      // Everything that can fail without the store is done before anything is stored.
      const prepared = values.includes('id_token') ? await prepare(request, user, context.options.model) : undefined;
      const code = hasCode ? await codeResponse.respond(request, user, context) : undefined;
      // Code and token belong to one grant, so that a replayed code revokes the token too. RFC 6749 §4.1.2
      const access = hasAccessToken ? await respondWithToken(request, user, context, code?.grantId) : undefined;
      const parameters: AuthorizationResponse['parameters'] = { ...code?.parameters, ...access?.parameters };
      const { code: text, access_token: accessToken } = parameters;
      if (prepared) parameters['id_token'] = await signIdToken(prepared, { code: text, accessToken });
      return { result: { client, user, scope: scope! }, scope, ...access, ...code, parameters };
    },
  };
}

/**
 * Verifies that a request for an ID token through the browser has the scope `openid`, and a `nonce` that binds it to
 * the client's session. OpenID Connect Core §3.2.2.1
 * @throws {InvalidRequestError} If one of them is missing.
 */
export function verifyFrontChannel(responseType: string, isOpenId: boolean, nonce: string | undefined): void {
  if (!responseType.split(' ').includes('id_token')) return;
  if (!isOpenId) throw new InvalidRequestError('Invalid request: an ID token requires the scope `openid`');
  if (nonce === undefined) throw new InvalidRequestError('Missing parameter: `nonce`');
}

const notGranted = () =>
  new InvalidScopeError('Invalid scope: `openid` was not granted').because({
    reason: 'scope `openid` was not granted, so no ID token can be issued',
  });
