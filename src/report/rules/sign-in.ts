import { type ReportRule, rulesOf } from '../rule.js';
import { DAY, isAbove, listed } from './observe.js';

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
session-long | low | option:pages.sessionLifetime | OpenID Connect Core §3.1.2.1 | A login session lasts at most a day. | Shorten the session, and offer "Remember me" for longer ones. | pages({ sessionLifetime: 28_800, rememberLifetime: 2_592_000 }) | The next person at a shared browser is signed in as its previous user.
login-one-factor | info | option:pages.secondFactor | RFC 9470 §1 | Users can sign in with more than a password. | Add a second factor. | accounts({ users, mail, authenticator: true }) | A password that was phished or reused is enough.
login-limits-in-memory | low | model | RFC 6819 §5.1.4.2.3 | All processes share the limits of password attempts. | Implement \`countWithin()\` in the model, or use one of the stores. | countWithin(key: string, seconds: number, by = 1) { return counters.add(key, seconds, by); } | With ten processes, ten times as many passwords can be tried.
login-limits-by-typed-name | low* | users | RFC 6819 §5.1.4.2.3 | Limits of password attempts count the account that was found. | Implement \`findByUsername()\` and \`verifyPassword()\` of the users. | findByUsername: (name) => table.findBy(name), verifyPassword: (user, password) => verifyPassword(password, user?.hash) | Different spellings of one name are counted separately, if your look-up accepts them.
password-change-keeps-sessions | low* | users | RFC 6819 §5.2.2.4 | A new password ends the sessions and tokens from before. | Implement \`credentialOf()\` of the users. | credentialOf: (user) => user.passwordHash | A thief stays signed in after the user has changed the password.
session-any-route | info | option:pages.acceptSessions | RFC 9700 §4.7 | Only marked routes accept login sessions. | Mark these routes with \`@AcceptSession()\`. | pages({ acceptSessions: { scopes: ['notes:read'], routes: 'marked' } }) | A new route accepts the session of a browser, although only clients were meant to call it.
upstream-any-email | high | option:upstreams.trustEmail | OpenID Connect Core §5.7 | A provider proves only addresses of its own domains. | List the domains whose mailboxes the provider hosts. | oidc({ trustEmail: ['example.com'], … }) | A user of the provider enters the address of somebody else, and takes it from an account that has not proven it.
upstream-authentication | info | option:upstreams.trustAuthentication | RFC 9470 §1 | The second factor of this server also protects users of other providers. | Remove \`trustAuthentication\`, unless you know how the provider authenticates. | oidc({ trustAuthentication: false, … }) | The provider decides whether a password was enough.
personal-token-long | medium | option:personalAccessTokens.maxLifetime | RFC 9700 §4.9 | Personal access tokens last at most a year. | Shorten the maximum. Users create a new token afterwards. | accounts({ personalAccessTokens: { maxLifetime: 31_536_000, scopes }, … }) | A token from an old script or a backup still opens the API.
elicitation-long | low | option:urlElicitation.lifetime | MCP 2026-07-28, Elicitation | The link to a page of a tool is valid for at most an hour. | Shorten the lifetime. | urlElicitation({ lifetime: 600 }) | A link from a history is completed long after the call.
`;

/**
 * Rules about pages, sessions, passwords and cookies. Two of them do not apply to `accounts()`, which finds the account
 * before it verifies a password, and ends sessions when a password changes.
 */
export const SIGN_IN_RULES: readonly ReportRule[] = rulesOf(TEXTS, {
  'session-long': ({ settings }) => {
    const { sessionLifetime: seconds } = settings('pages');
    return isAbove(seconds, DAY) && `Sessions last ${seconds} seconds.`;
  },
  'login-one-factor': ({ settings, has }) =>
    has('pages') &&
    settings('pages')['sessions'] !== true &&
    settings('pages')['secondFactor'] !== true &&
    settings('accounts')['authenticator'] !== true &&
    settings('accounts')['passkeys'] !== true &&
    'A password is sufficient.',
  'login-limits-in-memory': ({ has, store, settings }) =>
    has('pages') &&
    settings('pages')['throttle'] !== true &&
    !store.can('countWithin') &&
    `\`${store.kind}\` has no method \`countWithin()\`, so each process counts alone.`,
  'login-limits-by-typed-name': ({ has, settings, store }) =>
    has('pages') &&
    settings('pages')['sessions'] !== true &&
    !has('accounts') &&
    !store.can('findByUsername') &&
    store.can('getUser') &&
    'A name and a password are verified in one step.',
  'password-change-keeps-sessions': ({ store, has, settings }) =>
    has('pages') &&
    settings('pages')['sessions'] !== true &&
    // The store keeps the passwords, unless the users have a column of their own.
    (!has('accounts') || store.canUsers('verifyPassword') === true) &&
    store.canUsers('credentialOf') === false &&
    'The users have no method `credentialOf()`.',
  'session-any-route': ({ settings }) =>
    settings('pages')['acceptsSessions'] === true && 'All guarded routes accept sessions.',
  'upstream-any-email': ({ settings }) => {
    const names = (settings('upstreams')['anyEmail'] ?? []) as readonly string[];
    return names.length > 0 && `Addresses of all domains are trusted of ${listed(names)}.`;
  },
  'upstream-authentication': ({ settings }) => {
    const names = (settings('upstreams')['trustAuthentication'] ?? []) as readonly string[];
    return names.length > 0 && `The factors of ${listed(names)} count here.`;
  },
  'personal-token-long': ({ settings }) => {
    const { personalTokenLifetime } = settings('accounts');
    const { maxLifetime: seconds = personalTokenLifetime } = settings('personalAccessTokens');
    return isAbove(seconds, 366 * DAY) && `Tokens last up to ${Math.floor(seconds / DAY)} days.`;
  },
  'elicitation-long': ({ settings }) => {
    const { lifetime: seconds } = settings('url-elicitation');
    return isAbove(seconds, 3600) && `Links last ${seconds} seconds.`;
  },
});
