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
 * Answers with an ID token, which passes through the browser, or with an access token beside a code: for clients that cannot do
 * without. They need the grant `implicit` too. OpenID Connect Core §3.2, §3.3
 */
export function frontChannelType(name: FrontChannelType, provider: () => Provider): ResponseType {
  const values = name.split(' ');
  const hasCode = values.includes('code');
  const hasAccessToken = values.includes('token');

  async function prepare(request: AuthorizationRequest, user: User, model: Model) {
    const { client, grantedScope: scope, issuer, data: kept } = request;
    if (!coversScope(scope, OPENID_SCOPE)) throw notGranted();
    const entitled = { client, user, scope, issuer, kept, nonce: kept['nonce'], alone: name === 'id_token' };
    return await provider().idTokens.create(model, entitled);
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
      // Code and token belong to one grant: a replayed code ends the token too. RFC 6749 §4.1.2
      const access = hasAccessToken ? await respondWithToken(request, user, context, code?.grantId) : undefined;
      const parameters: AuthorizationResponse['parameters'] = { ...code?.parameters, ...access?.parameters };
      const { code: text, access_token: accessToken } = parameters;
      if (prepared) parameters['id_token'] = await signIdToken(prepared, { code: text, accessToken });
      return { result: { client, user, scope: scope! }, scope, ...access, ...code, parameters };
    },
  };
}

/** An ID token that passes through the browser is bound to the session of its client. OpenID Connect Core §3.2.2.1 */
export function verifyFrontChannel(responseType: string, isOpenId: boolean, nonce: string | undefined): void {
  if (!responseType.split(' ').includes('id_token')) return;
  if (!isOpenId) throw new InvalidRequestError('Invalid request: an ID token is asked for without the scope `openid`');
  if (nonce === undefined) throw new InvalidRequestError('Missing parameter: `nonce`');
}

const notGranted = () =>
  new InvalidScopeError('Invalid scope: `openid` was not granted').because({
    reason: 'who is given an ID token is granted the scope `openid`',
  });
