import type { ReportFacts } from '../facts/facts.js';
import { type ReportRule, rulesOf } from '../rule.js';
import { DAY, isAbove, observe, option } from './observe.js';

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
session-long | low | OpenID Connect Core §3.1.2.1 | A login session lasts at most a day. | Shorten the session, and offer "Remember me" for longer ones. | pages({ sessionLifetime: 28_800, rememberLifetime: 2_592_000 }) | The next person at a shared browser is signed in as its previous user.
login-one-factor | info | RFC 9470 §1 | Users can sign in with more than a password. | Add a second factor. | accounts({ users, mail, authenticator: true }) | A password that was phished or reused is enough.
login-limits-in-memory | low | RFC 6819 §5.1.4.2.3 | All processes share the limits of password attempts. | Implement \`countWithin()\` in the model, or use one of the stores. | countWithin(key: string, seconds: number, by = 1) { return counters.add(key, seconds, by); } | With ten processes, ten times as many passwords can be tried.
login-limits-by-typed-name | low* | RFC 6819 §5.1.4.2.3 | Limits of password attempts count the account that was found. | Implement \`findByUsername()\` and \`verifyPassword()\` of the users. | findByUsername: (name) => table.findBy(name), verifyPassword: (user, password) => verifyPassword(password, user?.hash) | Different spellings of one name are counted separately, if your look-up accepts them.
password-change-keeps-sessions | low* | RFC 6819 §5.2.2.4 | A new password ends the sessions and tokens from before. | Implement \`credentialOf()\` of the users. | credentialOf: (user) => user.passwordHash | A thief stays signed in after the user has changed the password.
`;

/**
 * Rules about pages, sessions, passwords and cookies. Two of them do not apply to `accounts()`, which finds the account
 * before it verifies a password, and ends sessions when a password changes.
 */
export const SIGN_IN_RULES: readonly ReportRule[] = rulesOf<ReportFacts>(TEXTS, {
  'session-long': ({ settings }) => {
    const { sessionLifetime: seconds } = settings('pages');
    return option('pages.sessionLifetime', isAbove(seconds, DAY) && `Sessions last ${seconds} seconds.`);
  },
  'login-one-factor': ({ settings, has }) =>
    option(
      'pages.secondFactor',
      has('pages') &&
        settings('pages')['sessions'] !== true &&
        settings('pages')['secondFactor'] !== true &&
        settings('accounts')['authenticator'] !== true &&
        settings('accounts')['passkeys'] !== true &&
        'A password is sufficient.',
    ),
  'login-limits-in-memory': ({ has, store, settings }) =>
    observe(
      'model',
      has('pages') &&
        settings('pages')['throttle'] !== true &&
        !store.can('countWithin') &&
        `\`${store.kind}\` has no method \`countWithin()\`, so each process counts alone.`,
    ),
  'login-limits-by-typed-name': ({ has, settings, store }) =>
    observe(
      'users',
      has('pages') &&
        settings('pages')['sessions'] !== true &&
        !has('accounts') &&
        !store.can('findByUsername') &&
        store.can('getUser') &&
        'A name and a password are verified in one step.',
    ),
  'password-change-keeps-sessions': ({ store, has, settings }) =>
    observe(
      'users',
      has('pages') &&
        settings('pages')['sessions'] !== true &&
        // The store keeps the passwords, unless the users have a column of their own.
        (!has('accounts') || store.canUsers('verifyPassword') === true) &&
        store.canUsers('credentialOf') === false &&
        'The users have no method `credentialOf()`.',
    ),
});
