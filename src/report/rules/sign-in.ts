import { type ReportRule, rule } from '../rule.js';
import { DAY, isAbove, observe, option } from './observe.js';

/** Rules about pages, sessions, passwords and cookies. */
export const SIGN_IN_RULES: readonly ReportRule[] = [
  rule('session-long', 'low', 'OpenID Connect Core §3.1.2.1', {
    should: 'A login session lasts at most a day.',
    change: 'Shorten the session, and offer "Remember me" for longer ones.',
    code: 'pages({ sessionLifetime: 28_800, rememberLifetime: 2_592_000 })',
    risk: 'Whoever opens the browser of another person is signed in as this person.',
    judge: ({ settings }) => {
      const { sessionLifetime: seconds } = settings('pages');
      return option('pages.sessionLifetime', isAbove(seconds, DAY) && `Sessions last ${seconds} seconds.`);
    },
  }),
  rule('login-one-factor', 'info', 'RFC 9470 §1', {
    should: 'Users can sign in with more than a password.',
    change: 'Add a second factor.',
    code: 'pages({ secondFactor: { by: AuthenticatorCodes } })',
    risk: 'A password that was phished or reused is enough.',
    judge: ({ settings, has }) =>
      option(
        'pages.secondFactor',
        has('pages') &&
          settings('pages')['sessions'] !== true &&
          settings('pages')['secondFactor'] !== true &&
          'A password is sufficient.',
      ),
  }),
  rule('login-limits-in-memory', 'low', 'RFC 6819 §5.1.4.2.3', {
    should: 'All processes share the limits of password attempts.',
    change: 'Implement `countWithin()` in the model, or use one of the stores.',
    code: 'countWithin(key: string, seconds: number, by = 1) { return counters.add(key, seconds, by); }',
    risk: 'With ten processes, ten times as many passwords can be tried.',
    judge: ({ has, store, settings }) =>
      observe(
        'model',
        has('pages') &&
          settings('pages')['throttle'] !== true &&
          !store.can('countWithin') &&
          `\`${store.kind}\` has no method \`countWithin()\`, so each process counts alone.`,
      ),
  }),
  rule('login-limits-by-typed-name', 'low', 'RFC 6819 §5.1.4.2.3', {
    should: 'Limits of password attempts count the account that was found.',
    change: 'Implement `findByUsername()` and `verifyPassword()` of the users.',
    code: 'findByUsername: (name) => table.findBy(name), verifyPassword: (user, password) => verifyPassword(password, user?.hash)',
    risk: 'Different spellings of one name are counted separately, if your look-up accepts them.',
    isFineInDevelopment: true,
    judge: ({ has, settings, store }) =>
      observe(
        'users',
        has('pages') &&
          settings('pages')['sessions'] !== true &&
          !store.can('findByUsername') &&
          store.can('getUser') &&
          'A name and a password are verified in one step.',
      ),
  }),
  rule('password-change-keeps-sessions', 'low', 'RFC 6819 §5.2.2.4', {
    should: 'A new password ends the sessions and tokens from before.',
    change: 'Implement `credentialOf()` of the users.',
    code: 'credentialOf: (user) => user.passwordHash',
    risk: 'A thief stays signed in after the user has changed the password.',
    isFineInDevelopment: true,
    judge: ({ store, has, settings }) =>
      observe(
        'users',
        has('pages') &&
          settings('pages')['sessions'] !== true &&
          store.canUsers('credentialOf') === false &&
          'The users have no method `credentialOf()`.',
      ),
  }),
];
