import type { Authorization } from '../contracts/authorization.js';
import type { User } from '../model/model.js';
import { withDefaults } from '../options/resolve-options.js';
import { issueToken } from '../tokens/issue-token.js';
import { tokenResponse } from '../tokens/token-response.js';
import type {
  AuthorizationRequest,
  AuthorizationResponse,
  ResponseContext,
  ResponseType,
} from '../contracts/response-type.js';

/**
 * The response type `token` (implicit grant): the authorization response contains an access token and no refresh token.
 * Only for old clients. RFC 6749 §4.2.2, RFC 9700 §2.1.2
 */
export const tokenResponseType = {
  grantType: 'implicit',
  mode: 'fragment',
  supportsPkce: false,
  requires: ['saveToken'],
  respond: (request, user, context) => respondWithToken(request, user, context),
} as const satisfies ResponseType;

/**
 * Issues an access token for an authorization response.
 * @param grantId The token family of a code that is issued in the same response. If omitted, the token begins a new
 * family.
 */
export async function respondWithToken(
  request: AuthorizationRequest,
  user: User,
  { options, format }: ResponseContext,
  grantId?: string,
): Promise<AuthorizationResponse> {
  const { client, issuer, grantedScope: scope, data: extra } = request;
  const accessTokenLifetime = client.accessTokenLifetime || options.accessTokenLifetime;
  const authorization: Authorization = { client, user, scope, scopeStatus: 'approved', grantId, extra };
  const result = await issueToken({ ...withDefaults(options, { accessTokenLifetime }), issuer, format }, authorization);
  const { refresh_token: _, ...body } = tokenResponse(result);
  const parameters = Object.entries(body).map(([name, value]) => [name, String(value)]);
  return { result, parameters: Object.fromEntries(parameters), scope: result.scope, grantId: result.grantId };
}
