import type { GrantHandler, TokenRequest } from '../contracts/token-request.js';
import { InvalidGrantError } from '../errors/index.js';
import type { Token } from '../model/model.js';
import { requestedScope } from '../tokens/scope.js';

/** The client credentials grant, by which a client gets a token for itself instead of a user. RFC 6749 §4.4 */
export const clientCredentialsGrant: GrantHandler = Object.assign(issueToClient, {
  requires: ['getUserFromClient', 'saveToken'],
});

async function issueToClient(request: TokenRequest): Promise<Token> {
  const { client, options } = request;
  const scope = requestedScope(request.request);
  const user = await options.model.getUserFromClient!(client);
  if (!user) throw new InvalidGrantError('Invalid grant: user credentials are invalid');
  return await request.issue({ client, user, scope, isForClient: true });
}
