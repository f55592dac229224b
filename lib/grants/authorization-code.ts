import { isPublicRequest } from '../clients/client-authentication.js';
import { isPublic } from '../clients/none.js';
import { InvalidGrantError, ServerError } from '../errors.js';
import { shortText } from '../events.js';
import { optional, required } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isUri, isVSCHAR } from '../http/syntax.js';
import type { AuthorizationCode, AuthorizationCodeModel, Client, Token } from '../model/model.js';
import { verifyVerifier } from '../pkce.js';
import { isSameRedirectUri } from '../response-types/redirect-uri.js';
import { isOver } from '../tokens/issue-token.js';
import { approveScope } from '../tokens/scope.js';
import { GrantType } from './grant-type.js';
import { expired, refuseReplay, unknown, verifyOwner } from './replay.js';

const WHAT = 'authorization code';

/** The user agreed at the authorization endpoint, and the client brings the code. RFC 6749 §4.1.3 */
export class AuthorizationCodeGrantType extends GrantType<AuthorizationCodeModel> {
  static readonly requires: readonly (keyof AuthorizationCodeModel)[] = [
    'getAuthorizationCode',
    'revokeAuthorizationCode',
  ];

  async handle(request: Request, client: Client): Promise<Token> {
    const authorizationCode = required(request, 'code', isVSCHAR);
    const code = await this.findCode(authorizationCode, client);
    const { user, grantId } = code;
    const scope = await approveScope(this.options, { client, user, scope: code.scope });

    // Spent before it is proven, so that neither a verifier nor a redirect URI can be guessed twice.
    if (!(await this.model.revokeAuthorizationCode(code))) await refuseReplay(code, WHAT, this.options);
    this.verifyProof(request, code, client);

    const extra = { authorizationCode };
    return await this.issueToken({ client, user, scope, scopeApproved: true, refreshable: true, grantId, extra });
  }

  private async findCode(value: string, client: Client): Promise<AuthorizationCode> {
    const code = await this.model.getAuthorizationCode(value);
    if (!code) throw new InvalidGrantError(`Invalid grant: ${WHAT} is invalid`).because(unknown(WHAT));
    verifyOwner(code, client, { finder: 'getAuthorizationCode', what: WHAT });
    if (code.revokedAt) await refuseReplay(code, WHAT, this.options);
    if (!(code.expiresAt instanceof Date)) throw new ServerError('Server error: `expiresAt` must be a Date instance');
    if (isOver(code.expiresAt)) throw expired(WHAT, code.expiresAt);
    if (code.redirectUri && !isUri(code.redirectUri)) {
      throw new InvalidGrantError('Invalid grant: `redirect_uri` is not a valid URI');
    }
    return code;
  }

  private verifyProof(request: Request, code: AuthorizationCode, client: Client): void {
    verifyVerifier(request, code, this.options.enablePlainPKCE === true);
    if (!code.codeChallenge && this.requiresPKCE(request, client)) {
      throw new InvalidGrantError('Invalid grant: the authorization request had no `code_challenge`');
    }
    if (!this.isSameRedirectUri(request, code, client)) {
      const given = shortText(request.body.redirect_uri ?? request.query?.['redirect_uri']);
      const detail = { rule: 'the redirect URI is that of the authorization request', wanted: code.redirectUri, given };
      throw new InvalidGrantError('Invalid grant: `redirect_uri` is invalid').because(detail);
    }
  }

  /** The redirect URI must be named again, to the letter, if the authorization request named it. RFC 6749 §4.1.3 */
  private isSameRedirectUri(request: Request, code: AuthorizationCode, client: Client): boolean {
    const given = optional(request, 'redirect_uri', isVSCHAR, ['body', 'query'], InvalidGrantError);
    if (code.redirectUri) return given === code.redirectUri;
    const [registered] = client.redirectUris ?? [];
    return given === undefined || (registered !== undefined && isSameRedirectUri(given, registered, client));
  }

  private requiresPKCE(request: Request, client: Client): boolean {
    const { requirePKCE = 'public' } = this.options;
    return requirePKCE === 'all' || (requirePKCE === 'public' && (isPublic(client) || isPublicRequest(request)));
  }
}
