import { ServerError } from '../../errors/index.js';
import type { AuthorizationCode, Unsaved, User } from '../../model/model.js';
import { expiry } from '../../tokens/lifetime.js';
import { newGrantId, opaqueToken } from '../../tokens/opaque.js';
import { scopeForModel } from '../../tokens/scope.js';
import type { AuthorizationRequest, ResponseContext, ResponseType } from '../../contracts/response-type.js';

/**
 * The response type `code`: the response contains an authorization code, which the client redeems for tokens. RFC 6749
 * §4.1.2
 */
export const codeResponse = {
  grantType: 'authorization_code',
  mode: 'query',
  supportsPkce: true,
  requires: ['saveAuthorizationCode'],

  async respond(authorization: AuthorizationRequest, user: User, { options }: Pick<ResponseContext, 'options'>) {
    const { model, scopeFormat, authorizationCodeLifetime } = options;
    const { client, redirectUri, redirectUriSent, codeChallenge, codeChallengeMethod } = authorization;
    const scope = scopeForModel(authorization.grantedScope, scopeFormat);

    const code: Unsaved<AuthorizationCode> = {
      ...authorization.data,
      authorizationCode:
        (model.generateAuthorizationCode && (await model.generateAuthorizationCode(client, user, scope))) ||
        opaqueToken(),
      expiresAt: expiry(authorizationCodeLifetime, 'authorizationCodeLifetime'),
      scope,
    };
    if (redirectUriSent) code.redirectUri = redirectUri;
    if (codeChallenge) {
      code.codeChallenge = codeChallenge;
      code.codeChallengeMethod = codeChallengeMethod;
    }
    if (model.revokeGrant) code.grantId = newGrantId();
    if (model.revokeGrant && authorization.issuer !== undefined) code.issuer = authorization.issuer;

    const saved = await model.saveAuthorizationCode!(code, client, user);
    if (!saved || !saved.authorizationCode) {
      throw new ServerError('Server error: `saveAuthorizationCode()` did not return an `authorizationCode`');
    }
    return { result: saved, parameters: { code: saved.authorizationCode }, scope, grantId: code.grantId };
  },
} satisfies ResponseType;
