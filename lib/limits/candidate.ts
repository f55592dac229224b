import { assertConfig } from '../errors/configuration-error.js';
import { hasAccounts } from '../model/accounts.js';
import type { CoreClient, PasswordModel, User } from '../model/model.js';
import { INEXACT_NAMES, warnOfModelMistake } from '../model/model-mistakes.js';
import { foldedName, isAmbiguousName } from './folded-name.js';
import { withTurn } from './turns.js';
import { isUserName, MAX_USER_NAME_LENGTH } from './user-name.js';

const NO_VERDICT =
  '`verifyPassword()` must return `true` or `false`, or a promise of them: return the result of the comparison';

/** A user name whose password is still to be verified. */
export interface Candidate {
  /**
   * The ID of the account that was found. `undefined` if no account was found, or if the model finds it only with the
   * password.
   */
  readonly account: string | undefined;
  /** Returns the user if the password is correct. Takes equally long whether or not the account exists. */
  verify(password: string): Promise<User | undefined>;
  /** Whether the verified password is still that of the user. If omitted, it is not verified again. */
  isCurrent?(): Promise<boolean>;
}

/**
 * Finds the account of a user name, before its password is verified. Returns `undefined` for a text that cannot be a
 * user name. For a model that finds accounts only with the password, this includes names whose spellings the limits
 * cannot count together.
 * @param client the client of the password grant, for `getUser()`
 */
export async function findCandidate(
  model: object,
  username: string,
  client?: CoreClient,
): Promise<Candidate | undefined> {
  if (!isUserName(username)) return undefined;
  if (hasAccounts(model)) {
    const user = (await model.findByUsername(username)) || undefined;
    if (user && hasOtherSpelling(user, username)) warnOfModelMistake(model, INEXACT_NAMES);
    const isCorrect = async (password: string) => {
      const verdict: unknown = await model.verifyPassword(user, password);
      assertConfig(typeof verdict === 'boolean', NO_VERDICT);
      return verdict;
    };
    return {
      account: user && String(user['id']),
      verify: async (password) => ((await withTurn(() => isCorrect(password))) ? user : undefined),
    };
  }
  if (isAmbiguousName(username)) return undefined;
  const getUser = (password: string) =>
    client
      ? (model as PasswordModel<CoreClient>).getUser(username, password, client)
      : (model as { getUser(name: string, word: string): ReturnType<PasswordModel['getUser']> }).getUser(
          username,
          password,
        );
  return { account: undefined, verify: async (password) => (await getUser(password)) || undefined };
}

/**
 * Whether a user was found by another spelling of a stored name, with other accents or letters. Upper and lower case, outer
 * spaces and compatible characters are not compared, because applications normalize them.
 */
function hasOtherSpelling(user: User, typed: string): boolean {
  const name = normalized(typed);
  const texts = Object.values(user).filter((value): value is string => typeof value === 'string');
  if (texts.some((text) => normalized(text) === name)) return false;
  const folded = foldedName(typed);
  return texts.some((text) => text.length <= MAX_USER_NAME_LENGTH && foldedName(text) === folded);
}

const normalized = (name: string) => name.normalize('NFKC').trim().toLowerCase();
