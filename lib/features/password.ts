import type { GrantHandler, TokenRequest } from '../contracts/token-request.js';
import { InvalidGrantError, TemporarilyUnavailableError } from '../errors/index.js';
import { requesterNetwork } from '../http/network.js';
import { isText } from '../http/syntax.js';
import { findCandidate } from '../limits/candidate.js';
import { countSignIn } from '../limits/sign-in-limits.js';
import { withQueue } from '../limits/turns.js';
import type { Token, User } from '../model/model.js';
import { requestedScope } from '../tokens/scope.js';

/**
 * The password grant: the client sends the user's username and password. For old clients only. RFC 6749 §4.3,
 * RFC 9700 §2.4
 */
export const passwordGrant: GrantHandler = Object.assign(redeemPassword, { requires: ['getUser', 'saveToken'] });

async function redeemPassword(request: TokenRequest): Promise<Token> {
  const { client, parameters } = request;
  const scope = requestedScope(request.request);
  const username = parameters.required('username', isText);
  const password = parameters.required('password', isText);
  const user = await findUser(request, username, password);
  if (!user) throw new InvalidGrantError('Invalid grant: user credentials are invalid');
  return await request.issue({ client, user, scope, refreshable: true });
}

/**
 * Finds the user of the credentials. Passwords are limited as on the login page, and together with it. Attempts of a
 * confidential client are not counted for its network, because it sends the passwords of many users.
 * @throws {TemporarilyUnavailableError} With status 429, if there were too many failed attempts.
 */
async function findUser(
  { request, client, authenticationMethod, options: { model } }: TokenRequest,
  username: string,
  password: string,
): Promise<User | undefined> {
  const candidate = await findCandidate(model, username, client);
  if (!candidate) return undefined;
  const { account } = candidate;
  const requester = requesterNetwork(request);
  const isPublic = authenticationMethod === 'none';
  const origin = isPublic ? { network: requester } : { network: undefined, client: client.id };
  const attempt = { realm: undefined, username, account, knownBrowser: undefined, ...origin };
  const { wait, giveBack } = await countSignIn(attempt, model);
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

const tooManyAttempts = (retryAfter: number) =>
  new TemporarilyUnavailableError('Too many requests: try again later', { code: 429, retryAfter }).because({
    reason: 'too many failed passwords for one user or from one network',
  });
