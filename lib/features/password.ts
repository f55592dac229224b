import { InvalidGrantError } from '../errors/index.js';
import { required } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isText } from '../http/syntax.js';
import type { CoreClient, PasswordModel, Token } from '../model/model.js';
import { requestedScope } from '../tokens/scope.js';
import { GrantType } from '../endpoints/token/grant-type.js';

/**
 * The password grant: the client sends the user's username and password. For old clients only. RFC 6749 §4.3,
 * RFC 9700 §2.4
 */
export class PasswordGrantType extends GrantType<PasswordModel> {
  static readonly requires: readonly (keyof PasswordModel)[] = ['getUser'];

  async handle(request: Request, client: CoreClient): Promise<Token> {
    const scope = requestedScope(request);
    const username = required(request, 'username', isText);
    const password = required(request, 'password', isText);
    const user = await this.model.getUser(username, password, client);
    if (!user) throw new InvalidGrantError('Invalid grant: user credentials are invalid');
    return await this.issueToken({ client, user, scope, refreshable: true });
  }
}
