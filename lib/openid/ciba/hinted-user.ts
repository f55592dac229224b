import { InvalidRequestError, InvalidUserCodeError, MissingUserCodeError } from '../../errors/index.js';
import { TemporarilyUnavailableError, UnknownUserIdError } from '../../errors/index.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Parameters } from '../../http/parameters.js';
import { isText } from '../../http/syntax.js';
import { RateLimit } from '../../limits/rate-limit.js';
import type { CoreClient, Model, User } from '../../model/model.js';
import { subjectOf } from '../../tokens/subject.js';
import { hintParameter, isHintToken, readOwnHint } from '../hint-parameter.js';
import { OPENID } from '../openid-capability.js';
import { BACKCHANNEL_USER_CODE_PARAMETER } from './client-fields.js';
import type { CibaModel, UserHint } from './ciba-model.js';

const MAX_LOGIN_HINT_LENGTH = 255;
/** The limit of user codes that a client may try for one user. */
const userCodes = new RateLimit('CIBA: user codes', { requests: 10, per: 300 });

/**
 * Finds the user that the hint of a request identifies. CIBA §7.1
 * @throws {InvalidRequestError} If the request does not contain exactly one valid hint.
 * @throws {UnknownUserIdError} If the hint identifies no user.
 */
export async function findHintedUser(
  { parameters, client, issuer }: ClientRequest,
  server: ServerContext,
): Promise<User> {
  const hint = await readHint(parameters, { client, issuer }, server);
  const model = server.options.model as Model & CibaModel;
  const user = (await model.findHintedUser(hint, client)) || undefined;
  if (user === undefined) throw unknownUser('`findHintedUser()` returned no user');
  const { idTokenHint } = hint;
  if (idTokenHint && !server.find(OPENID)!.isKnownAs(user, client, idTokenHint.sub)) {
    throw unknownUser('`findHintedUser()` returned another user than the ID token identifies');
  }
  return user;
}

/**
 * Verifies the secret `user_code` of a user, if the request contains one. CIBA §7.1
 * @throws {MissingUserCodeError} If the client is registered for user codes and sends none.
 * @throws {InvalidUserCodeError} If the code is wrong.
 * @throws {TemporarilyUnavailableError} If the client tried too many codes for this user (429).
 */
export async function verifyUserCode(code: string | undefined, user: User, { client, issuer, model }: CodeCheck) {
  if (code === undefined) {
    if (!BACKCHANNEL_USER_CODE_PARAMETER.of(client)) return;
    throw new MissingUserCodeError('Missing user code: `user_code`');
  }
  const retryAfter = await userCodes.add(JSON.stringify([issuer, client.id, subjectOf(user, client)]), model);
  if (retryAfter > 0) {
    const reason = 'Temporarily unavailable: too many user codes were tried';
    throw new TemporarilyUnavailableError(reason, { code: 429, retryAfter });
  }
  if (await model.verifyUserCode!(user, code, client)) return;
  throw new InvalidUserCodeError('Invalid user code: `user_code`');
}

interface CodeCheck extends HintContext {
  model: Model & CibaModel;
}

interface HintContext {
  client: CoreClient;
  issuer: string | undefined;
}

async function readHint(parameters: Parameters, context: HintContext, server: ServerContext): Promise<UserHint> {
  const loginHint = parameters.optional('login_hint', (text) => text.length <= MAX_LOGIN_HINT_LENGTH && isText(text));
  const loginHintToken = parameters.optional('login_hint_token', isHintToken);
  const idToken = hintParameter(parameters);
  const hints = [loginHint, loginHintToken, idToken].filter((one) => one !== undefined);
  if (hints.length !== 1) {
    throw new InvalidRequestError(
      'Invalid request: exactly one of `login_hint`, `login_hint_token` and `id_token_hint` must be sent',
    );
  }
  if (loginHint !== undefined) return { loginHint };
  if (loginHintToken !== undefined) return { loginHintToken };
  return { idTokenHint: await readOwnHint(server.find(OPENID)!, idToken!, context) };
}

const unknownUser = (reason: string) =>
  new UnknownUserIdError('Unknown user id: the hint identifies no user').because({ reason });
