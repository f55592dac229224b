import { InvalidGrantError } from '../errors/index.js';
import type { Request } from '../http/request.js';
import type { ClientCredentialsModel, CoreClient, Token } from '../model/model.js';
import { requestedScope } from '../tokens/scope.js';
import { GrantType } from '../endpoints/token/grant-type.js';

/** The client credentials grant, by which a client gets a token for itself instead of a user. RFC 6749 §4.4 */
export class ClientCredentialsGrantType extends GrantType<ClientCredentialsModel> {
  static readonly requires: readonly (keyof ClientCredentialsModel)[] = ['getUserFromClient'];

  async handle(request: Request, client: CoreClient): Promise<Token> {
    const scope = requestedScope(request);
    const user = await this.model.getUserFromClient(client);
    if (!user) throw new InvalidGrantError('Invalid grant: user credentials are invalid');
    return await this.issueToken({ client, user, scope, isForClient: true });
  }
}
