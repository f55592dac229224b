import { InvalidRequestError, InvalidUserCodeError, MissingUserCodeError } from '../../errors/index.js';
import { TemporarilyUnavailableError, UnknownUserIdError } from '../../errors/index.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import type { ServerContext } from '../../contracts/feature.js';
import { claimAttempt } from '../../features/device-authorization/guesses.js';
import type { Parameters } from '../../http/parameters.js';
import { isText } from '../../http/syntax.js';
import type { CoreClient, Model, OnceModel, User } from '../../model/model.js';
import { subjectOf } from '../../tokens/subject.js';
import { hintParameter, isHintToken, readOwnHint } from '../hint-parameter.js';
import { OPENID } from '../openid-capability.js';
import { BACKCHANNEL_USER_CODE_PARAMETER } from './client-fields.js';
import type { CibaModel, UserHint } from './ciba-model.js';

const MAX_LOGIN_HINT_LENGTH = 255;
/** How many codes a client may try for one user, in some minutes. */
const MAX_USER_CODE_ATTEMPTS = 10;

/** Whom the client means. CIBA §7.1 @throws UnknownUserIdError */
export async function findHintedUser(
  { parameters, client, issuer }: ClientRequest,
  server: ServerContext,
): Promise<User> {
  const hint = await readHint(parameters, { client, issuer }, server);
  const model = server.options.model as Model & CibaModel;
  const user = (await model.findHintedUser(hint, client)) || undefined;
  if (user === undefined) throw unknownUser('`findHintedUser()` of the model finds the user');
  const { idTokenHint } = hint;
  if (idTokenHint && !server.find(OPENID)!.isKnownAs(user, client, idTokenHint.sub)) {
    throw unknownUser('the user that `findHintedUser()` finds is the one whom the ID token names');
  }
  return user;
}

/**
 * Verifies the secret `user_code` of a user, if the client registered `backchannel_user_code_parameter`. CIBA §7.1
 * @throws {MissingUserCodeError} If the client must send a code and does not.
 * @throws {InvalidUserCodeError} If the code is wrong.
 * @throws {TemporarilyUnavailableError} If the client tried too many codes for this user (429).
 */
export async function verifyUserCode(code: string | undefined, user: User, { client, issuer, model }: CodeCheck) {
  if (code === undefined) {
    if (!BACKCHANNEL_USER_CODE_PARAMETER.of(client)) return;
    throw new MissingUserCodeError('Missing user code: `user_code`');
  }
  const who = JSON.stringify(['ciba', issuer, client.id, subjectOf(user)]);
  if (!(await claimAttempt(model, who, { places: MAX_USER_CODE_ATTEMPTS, probes: MAX_USER_CODE_ATTEMPTS }))) {
    throw new TemporarilyUnavailableError('Temporarily unavailable: too many codes were tried', { code: 429 });
  }
  if (await model.verifyUserCode!(user, code, client)) return;
  throw new InvalidUserCodeError('Invalid user code: `user_code`');
}

interface CodeCheck extends HintContext {
  model: OnceModel & CibaModel;
}

interface HintContext {
  client: CoreClient;
  issuer: string | undefined;
}

async function readHint(parameters: Parameters, asker: HintContext, server: ServerContext): Promise<UserHint> {
  const loginHint = parameters.optional('login_hint', (text) => text.length <= MAX_LOGIN_HINT_LENGTH && isText(text));
  const loginHintToken = parameters.optional('login_hint_token', isHintToken);
  const idToken = hintParameter(parameters);
  const given = [loginHint, loginHintToken, idToken].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new InvalidRequestError(
      'Invalid request: one of `login_hint`, `login_hint_token` and `id_token_hint` is sent',
    );
  }
  if (loginHint !== undefined) return { loginHint };
  if (loginHintToken !== undefined) return { loginHintToken };
  return { idTokenHint: await readOwnHint(server.find(OPENID)!, idToken!, asker) };
}

const unknownUser = (reason: string) =>
  new UnknownUserIdError('Unknown user id: nobody is known by this hint').because({ reason });
