import { isPublicClient } from '../../clients/none.js';
import type { Authorization } from '../../contracts/authorization.js';
import { InvalidGrantError, ServerError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import { FORM_OR_URL, optional, required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isUri, isVSCHAR } from '../../http/syntax.js';
import type { AuthorizationCode, AuthorizationCodeModel, CoreClient, Token } from '../../model/model.js';
import { verifyCodeVerifier } from '../../endpoints/authorization/pkce.js';
import { isSameRedirectUri } from '../../endpoints/authorization/redirect-uri.js';
import { redeem } from '../../tokens/issue-token.js';
import { isExpired } from '../../tokens/lifetime.js';
import { copySignInClaims } from '../../tokens/sign-in-claims.js';
import { GrantType } from '../../endpoints/token/grant-type.js';
import { expiredError, rejectReplay, unknownDetail, verifyOwner } from '../../endpoints/token/replay.js';

const CODE_NAME = 'authorization code';

/**
 * The authorization code grant: the client redeems a code, which it received after the user consented, for tokens.
 * RFC 6749 §4.1.3
 */
export class AuthorizationCodeGrantType extends GrantType<AuthorizationCodeModel> {
  static readonly requires: readonly (keyof AuthorizationCodeModel)[] = [
    'getAuthorizationCode',
    'revokeAuthorizationCode',
  ];

  async handle(request: Request, client: CoreClient): Promise<Token> {
    const authorizationCode = required(request, 'code', isVSCHAR);
    const code = await this.findCode(authorizationCode, client);
    if (this.options.clientRequest) this.options.clientRequest.code = code;
    await this.verifyCode(request, code, client);

    const { user, grantId, scope } = code;
    const extra: Record<string, unknown> = { authorizationCode };
    copySignInClaims(extra, code);
    const scopeStatus = 'consented';
    const authorization: Authorization = { client, user, scope, scopeStatus, refreshable: true, grantId, extra };
    return await redeem(this.options, authorization, {
      stored: code,
      consume: () => this.model.revokeAuthorizationCode(code),
      handleReplay: () => rejectReplay(code, CODE_NAME, this.options),
    });
  }

  private async findCode(value: string, client: CoreClient): Promise<AuthorizationCode> {
    const code = await this.model.getAuthorizationCode(value);
    if (!code) throw new InvalidGrantError(`Invalid grant: ${CODE_NAME} is invalid`).because(unknownDetail(CODE_NAME));
    verifyOwner(code, client, { finder: 'getAuthorizationCode', name: CODE_NAME, issuer: this.options.issuer });
    if (!(code.expiresAt instanceof Date)) throw new ServerError('Server error: `expiresAt` must be a Date instance');
    if (isExpired(code.expiresAt)) throw expiredError(CODE_NAME, code.expiresAt);
    if (code.redirectUri && !isUri(code.redirectUri)) {
      throw new InvalidGrantError('Invalid grant: `redirect_uri` is not a valid URI');
    }
    return code;
  }

  /**
   * Verifies the code verifier and the redirect URI for a code. If they are wrong, an unused code is consumed, so that
   * they cannot be guessed twice. If they are right but the code was already used, its token family is revoked. A
   * leaked code alone therefore cannot sign the user out. OAuth 2.1 §7.5.3
   * @throws {InvalidGrantError} If they are wrong, or if the code was already used.
   */
  private async verifyCode(request: Request, code: AuthorizationCode, client: CoreClient): Promise<void> {
    try {
      this.verifyVerifierAndRedirectUri(request, code, client);
    } catch (error) {
      if (!code.revokedAt) await this.model.revokeAuthorizationCode(code);
      throw error;
    }
    if (code.revokedAt) await rejectReplay(code, CODE_NAME, this.options);
  }

  private verifyVerifierAndRedirectUri(request: Request, code: AuthorizationCode, client: CoreClient): void {
    verifyCodeVerifier(request, code, this.options.enablePlainPKCE === true);
    if (!code.codeChallenge && this.requiresPKCE(client)) {
      throw new InvalidGrantError('Invalid grant: the authorization request had no `code_challenge`');
    }
    if (!this.isSameRedirectUri(request, code, client)) {
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
   * Whether the request contains the same redirect URI as the authorization request. If the authorization request
   * omitted it, the request may omit it too, or contain the registered one. RFC 6749 §4.1.3
   */
  private isSameRedirectUri(request: Request, code: AuthorizationCode, client: CoreClient): boolean {
    const given = optional(request, 'redirect_uri', isVSCHAR, FORM_OR_URL, InvalidGrantError);
    if (code.redirectUri) return given === code.redirectUri;
    const [registered] = client.redirectUris ?? [];
    return given === undefined || (registered !== undefined && isSameRedirectUri(given, registered, client));
  }

  private requiresPKCE(client: CoreClient): boolean {
    const { clientRequest, requirePKCE = 'public' } = this.options;
    return (
      requirePKCE === 'all' ||
      (requirePKCE === 'public' && (isPublicClient(client) || clientRequest?.authenticationMethod === 'none'))
    );
  }
}
