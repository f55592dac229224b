import { isPublicClient } from '../../clients/none.js';
import type { Authorization } from '../../contracts/authorization.js';
import type { GrantHandler, TokenRequest } from '../../contracts/token-request.js';
import { InvalidGrantError, ServerError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import { FORM_OR_URL, optional, required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isUri, isVSCHAR } from '../../http/syntax.js';
import type { AuthorizationCode, CoreClient, Falsy, Token } from '../../model/model.js';
import { verifyCodeVerifier } from '../../endpoints/authorization/pkce.js';
import { isSameRedirectUri } from '../../endpoints/authorization/redirect-uri.js';
import { isExpired } from '../../tokens/lifetime.js';
import { copySignInClaims } from '../../tokens/sign-in-claims.js';
import { expiredError, rejectReplay, unknownDetail, verifyOwner } from '../../endpoints/token/replay.js';

const CODE_NAME = 'authorization code';

/**
 * The authorization code grant: the client redeems a code, which it received after the user consented, for tokens.
 * RFC 6749 §4.1.3
 */
export const codeGrant: GrantHandler = Object.assign(redeemCode, {
  requires: ['getAuthorizationCode', 'revokeAuthorizationCode', 'saveToken'],
});

async function redeemCode(request: TokenRequest): Promise<Token> {
  const { client, options } = request;
  const authorizationCode = required(request.request, 'code', isVSCHAR);
  const code = verifyFound(request, await options.model.getAuthorizationCode!(authorizationCode));
  request.code = code;
  try {
    verifyVerifierAndRedirectUri(request, code);
  } catch (error) {
    // The code is consumed, so that verifier and redirect URI cannot be guessed twice. OAuth 2.1 §7.5.3
    if (!code.revokedAt) await options.model.revokeAuthorizationCode!(code);
    throw error;
  }
  // Only after these checks: a leaked code alone cannot sign the user out.
  if (code.revokedAt) await rejectReplay(code, CODE_NAME, request);

  const { user, grantId, scope } = code;
  const extra: Record<string, unknown> = { authorizationCode };
  copySignInClaims(extra, code);
  const scopeStatus = 'consented';
  const authorization: Authorization = { client, user, scope, scopeStatus, refreshable: true, grantId, extra };
  return await request.redeem(authorization, {
    stored: code,
    consume: () => options.model.revokeAuthorizationCode!(code),
    handleReplay: () => rejectReplay(code, CODE_NAME, request),
  });
}

/**
 * Verifies the code that the model returned.
 * @throws {InvalidGrantError} If it is unknown, expired, or was issued to another client or by another issuer.
 */
function verifyFound({ client, issuer }: TokenRequest, code: AuthorizationCode | Falsy): AuthorizationCode {
  if (!code) throw new InvalidGrantError(`Invalid grant: ${CODE_NAME} is invalid`).because(unknownDetail(CODE_NAME));
  verifyOwner(code, client, { finder: 'getAuthorizationCode', name: CODE_NAME, issuer });
  if (!(code.expiresAt instanceof Date)) throw new ServerError('Server error: `expiresAt` must be a Date instance');
  if (isExpired(code.expiresAt)) throw expiredError(CODE_NAME, code.expiresAt);
  if (code.redirectUri && !isUri(code.redirectUri)) {
    throw new InvalidGrantError('Invalid grant: `redirect_uri` is not a valid URI');
  }
  return code;
}

/** @throws {InvalidGrantError} If the code verifier or the redirect URI is wrong. */
function verifyVerifierAndRedirectUri(tokenRequest: TokenRequest, code: AuthorizationCode): void {
  const { request, client, options } = tokenRequest;
  verifyCodeVerifier(request, code, options.enablePlainPKCE);
  if (!code.codeChallenge && requiresPKCE(tokenRequest)) {
    throw new InvalidGrantError('Invalid grant: the authorization request had no `code_challenge`');
  }
  if (!containsSameRedirectUri(request, code, client)) {
    const given = shortText(request.body.redirect_uri ?? request.query?.['redirect_uri']);
    const detail = {
      reason: '`redirect_uri` differs from the one in the authorization request',
      expected: code.redirectUri,
      given,
    };
    throw new InvalidGrantError('Invalid grant: `redirect_uri` is invalid').because(detail);
  }
}

/**
 * Whether the request contains the same redirect URI as the authorization request. If the authorization request omitted
 * it, the request may omit it too, or contain the registered one. RFC 6749 §4.1.3
 */
function containsSameRedirectUri(request: Request, code: AuthorizationCode, client: CoreClient): boolean {
  const given = optional(request, 'redirect_uri', isVSCHAR, FORM_OR_URL, InvalidGrantError);
  if (code.redirectUri) return given === code.redirectUri;
  const [registered] = client.redirectUris ?? [];
  return given === undefined || (registered !== undefined && isSameRedirectUri(given, registered, client));
}

const requiresPKCE = ({ client, authenticationMethod, options: { requirePKCE } }: TokenRequest): boolean =>
  requirePKCE === 'all' || (requirePKCE === 'public' && (isPublicClient(client) || authenticationMethod === 'none'));
