import type { Authorization } from '../contracts/authorization.js';
import type { User } from '../model/model.js';
import { type Options, settle } from '../options/settle.js';
import { issueToken } from '../tokens/issue-token.js';
import type { TokenFormat } from '../contracts/token-format.js';
import { tokenResponse } from '../tokens/token-response.js';
import type { Answer, AuthorizationRequest } from '../contracts/response-type.js';

/** Answers with an access token itself, and no refresh token: for old clients only. RFC 6749 §4.2.2, RFC 9700 §2.1.2 */
export class TokenResponseType {
  static readonly grant = 'implicit';
  static readonly mode = 'fragment';
  static readonly provable = false;
  static readonly requires = ['saveToken'] as const;

  constructor(private readonly options: Options) {}

  /** @param grantId the grant of the code that it is given out with */
  async handle(asked: AuthorizationRequest, user: User, format?: TokenFormat, grantId?: string): Promise<Answer> {
    const { client, issuer, grantedScope: scope, data: extra } = asked;
    const accessTokenLifetime = client.accessTokenLifetime || this.options.accessTokenLifetime;
    const authorization: Authorization = { client, user, scope, scopeStatus: 'approved', grantId, extra };
    const result = await issueToken(
      { ...settle(this.options, { accessTokenLifetime }), issuer, format },
      authorization,
    );
    const { refresh_token: _, ...body } = tokenResponse(result);
    const parameters = Object.entries(body).map(([name, value]) => [name, String(value)]);
    return { result, parameters: Object.fromEntries(parameters), scope: result.scope, grantId: result.grantId };
  }
}
