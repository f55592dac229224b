import { countAttempt, type CountedAttempt, type LimitedBy, RateLimit } from './rate-limit.js';
import { foldedName } from './folded-name.js';

/** An attempt to sign in, as the limits count it. */
export interface SignInAttempt {
  /** The tenant or another realm of the users. Users of different realms are counted separately. */
  readonly realm: string | undefined;
  /** The user name as it was typed. */
  readonly username: string;
  /** The ID of the account that was found. `undefined` if none was, or if the model finds it only with the password. */
  readonly account: string | undefined;
  /** The network of the browser or public client. If `undefined`, the attempts of a network are not limited. */
  readonly network: string | undefined;
  /**
   * The ID of the confidential client that sent the password. Its attempts count for the user from anywhere only, since
   * its users may all have the same network.
   */
  readonly client?: string;
  /** The identifier of a browser in which this user has signed in before. */
  readonly knownBrowser: string | undefined;
}

const FROM_ONE_ORIGIN = { requests: 10, per: 300 };
/**
 * The limit of attempts for one user from all networks. It is higher than what one network can use up in that time, so
 * that one attacker cannot lock a user out of new browsers.
 */
const FROM_ANYWHERE = { requests: 200, per: 3600 };

/** The limit of failed attempts from one network for all user names together. */
const network = new RateLimit('sign-in: network', { requests: 300, per: 600 });
// The limits of typed names have a memory of their own, so that made-up names cannot displace counts of accounts.
const nameInNetwork = new RateLimit('sign-in: name and network', FROM_ONE_ORIGIN);
const accountInNetwork = new RateLimit('sign-in: account and network', FROM_ONE_ORIGIN);
const name = new RateLimit('sign-in: name', FROM_ANYWHERE);
const account = new RateLimit('sign-in: account', FROM_ANYWHERE);
// Counted instead of an account that was not found, so that both take as many statements of a database.
const noAccountInNetwork = new RateLimit('sign-in: no account and network', FROM_ONE_ORIGIN);
const noAccount = new RateLimit('sign-in: no account', FROM_ANYWHERE);
const knownBrowser = new RateLimit('sign-in: known browser', FROM_ONE_ORIGIN);

/**
 * Counts an attempt to sign in, before the password is verified. A known browser is counted on its own, so that
 * attempts elsewhere cannot lock the user out of it.
 *
 * The typed name is counted whether or not an account was found, so that the responses do not tell. The account is
 * counted in addition, because a database may find it by names that `foldedName()` distinguishes. A name without an
 * account is counted as often, so that the time does not tell either.
 */
export function countSignIn(attempt: SignInAttempt, model: object): Promise<CountedAttempt> {
  return countAttempt(attempt.knownBrowser === undefined ? limitsOfNetwork(attempt) : limitsOfBrowser(attempt), model);
}

function limitsOfBrowser({ realm, username, account: id, knownBrowser: browser }: SignInAttempt): LimitedBy[] {
  return [[knownBrowser, keyOf(realm, id ?? foldedName(username), browser)]];
}

function limitsOfNetwork({ realm, username, account: id, network: from, client }: SignInAttempt): LimitedBy[] {
  const typed = foldedName(username);
  const limits: LimitedBy[] = from === undefined ? [] : [[network, keyOf(realm, from)]];
  // A confidential client may send many correct passwords of one user at the same time.
  if (client === undefined) {
    limits.push([nameInNetwork, keyOf(realm, typed, from)]);
    limits.push(
      id === undefined ? [noAccountInNetwork, keyOf(realm, typed, from)] : [accountInNetwork, keyOf(realm, id, from)],
    );
  }
  limits.push([name, keyOf(realm, typed)]);
  limits.push(id === undefined ? [noAccount, keyOf(realm, typed)] : [account, keyOf(realm, id)]);
  return limits;
}

const keyOf = (...parts: (string | undefined)[]) => JSON.stringify(parts.map((part) => part ?? null));
