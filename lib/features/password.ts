import { InvalidGrantError, TemporarilyUnavailableError } from '../errors/index.js';
import { required } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isText } from '../http/syntax.js';
import { requesterNetwork } from '../http/network.js';
import { findCandidate } from '../limits/candidate.js';
import { countSignIn } from '../limits/sign-in-limits.js';
import { withQueue } from '../limits/turns.js';
import type { CoreClient, PasswordModel, Token, User } from '../model/model.js';
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
    const user = await this.findUser({ username, password, request, client });
    if (!user) throw new InvalidGrantError('Invalid grant: user credentials are invalid');
    return await this.issueToken({ client, user, scope, refreshable: true });
  }
  /**
   * Finds the user of the credentials. Passwords are limited as on the login page, and together with it. Attempts of a
   * confidential client are not counted for its network, because it sends the passwords of many users.
   * @throws {TemporarilyUnavailableError} With status 429, if there were too many failed attempts.
   */
  private async findUser({ username, password, request, client }: Credentials): Promise<User | undefined> {
    const candidate = await findCandidate(this.model, username, client);
    if (!candidate) return undefined;
    const { account } = candidate;
    const requester = requesterNetwork(request);
    const isPublic = this.options.clientRequest?.authenticationMethod === 'none';
    const origin = isPublic ? { network: requester } : { network: undefined, client: client.id };
    const attempt = { realm: undefined, username, account, knownBrowser: undefined, ...origin };
    const { wait, giveBack } = await countSignIn(attempt, this.model);
    if (wait > 0) throw tooManyAttempts(wait);
    const queue = isPublic ? `network ${requester ?? ''}` : `passwords of client ${client.id}`;
    try {
      const user = await withQueue(queue, () => candidate.verify(password));
      if (user) await giveBack();
      return user;
    } catch (error) {
      if (error instanceof TemporarilyUnavailableError) await giveBack();
      throw error;
    }
  }
}

interface Credentials {
  username: string;
  password: string;
  request: Request;
  client: CoreClient;
}

const tooManyAttempts = (retryAfter: number) =>
  new TemporarilyUnavailableError('Too many requests: try again later', { code: 429, retryAfter }).because({
    reason: 'too many failed passwords for one user or from one network',
  });
