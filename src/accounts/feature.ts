import { type CredentialModel, type Feature, injects, type User } from '../../lib/index.js';
import { ACCOUNT_SECTIONS, PASSWORDS } from '../pages/index.js';
import { SITE } from '../pages/site.js';
import { Accounts, ACCOUNTS } from './accounts.js';
import { confirmEmailPage, newPasswordPage } from './link-pages.js';
import { LogMailer } from './log-mailer.js';
import { accountMessages } from './messages.js';
import { ACCOUNT_USERS, type AccountsOptions, MAILER, resolveAccountsOptions } from './options.js';
import { requestPage } from './request-page.js';
import { emailSection, passwordSection } from './sections.js';

const CREDENTIAL_METHODS = [
  'findCredential',
  'addCredential',
  'replaceCredential',
  'removeCredential',
] as const satisfies readonly (keyof CredentialModel)[];

/**
 * Adds accounts with passwords to `pages()`: sign-up, verification of e-mail addresses, password reset, and sections of
 * the account page to change the password and the address. The application keeps the profiles of its users, and the
 * store keeps their passwords.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function accounts<U extends User = User>(options: AccountsOptions<U>): Feature {
  const rules = resolveAccountsOptions(options as object as AccountsOptions);
  const { signUp = true, translations, realm } = options;
  const messages = accountMessages(translations);
  const asksForName = signUp === 'name';
  return {
    id: 'accounts',
    requires: [...CREDENTIAL_METHODS, 'listSessions', 'endSessions', 'listApplications', 'revokeGrantsOf'],
    endpoints: {
      ...(signUp !== false && { sign_up: requestPage('signUp', { messages, asksForName }) }),
      forgot_password: requestPage('forgot', { messages, asksForName: false }),
      new_password: newPasswordPage(messages),
      confirm_email: confirmEmailPage(messages),
    },
    settings: { minLength: rules.minLength, signUp, fetch: rules.fetch !== undefined },
    injects: [
      injects(ACCOUNT_USERS, 'users', options.users, {
        methods: ['findById', 'findByEmail', 'create'],
        optionalMethods: ['update', 'verifyPassword', 'credentialOf'],
      }),
      injects(MAILER, 'mail', options.mail, { methods: ['send'] }),
    ],
    install(builder) {
      const site = builder.use(SITE);
      builder.provide(ACCOUNTS, () => {
        const { server } = builder;
        const name = site().options.renderer.siteName ?? new URL(server.options.issuer!).host;
        return new Accounts(server, { rules, messages, realm }, name);
      });
      builder.provide(PASSWORDS, () => builder.server.find(ACCOUNTS)!.passwords);
      builder.contribute(ACCOUNT_SECTIONS, emailSection(messages));
      builder.contribute(ACCOUNT_SECTIONS, passwordSection(messages));
      return {
        misconfigurations: (server) => [
          ...(server.options.issuer === undefined
            ? ['`accounts()` builds the links of e-mails from the issuer: set the option `issuer`']
            : []),
          ...(site().modelSessions
            ? []
            : [
                '`accounts()` ends the sessions of a user: remove `sessions` of `pages()`, so that the model stores them',
              ]),
          ...(server.find(MAILER) instanceof LogMailer && process.env['NODE_ENV'] === 'production'
            ? ['`logMailer()` writes links that change passwords to the log: set `mail` of `accounts()` in production']
            : []),
        ],
      };
    },
  };
}
