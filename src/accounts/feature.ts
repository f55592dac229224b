import { Logger } from '@nestjs/common';

import type { CredentialModel, User } from '../../lib/index.js';
import {
  assertConfig,
  type Feature,
  hasArgon2id,
  hasOnce,
  injects,
  MODEL_SECRETS,
  personalAccessTokens,
} from '../../lib/internal.js';
import { ACCOUNT_SECTIONS, LOGIN_STEPS, PASSWORDS } from '../pages/index.js';
import { DEFAULT_SECOND_FACTOR } from '../pages/second-factor/options.js';
import { secondFactorPage } from '../pages/second-factor/page.js';
import { SITE } from '../pages/site.js';
import { USER_REALMS } from '../tenants/tenant-of.js';
import { Accounts, ACCOUNTS } from './accounts.js';
import { dataSection } from './deletion/data-section.js';
import { DUE_DELETIONS } from './deletion/due-deletions.js';
import { keepPage, keepStep } from './deletion/keep-page.js';
import { authenticatorPage } from './factors/authenticator-page.js';
import { authenticatorSection } from './factors/authenticator-section.js';
import { FACTOR_RESET } from './factors/factor-reset.js';
import { resetFactors } from './factors/reset-factors.js';
import { requireTotp } from './factors/totp.js';
import { findPasskeyErrors, installPasskeys, passkeyEndpoints } from './passkeys/install.js';
import { loadWebAuthn } from './passkeys/webauthn.js';
import { confirmEmailPage, newPasswordPage } from './link-pages.js';
import { LogMailer } from './log-mailer.js';
import { ACCOUNT_TEXTS } from './messages.js';
import { ACCOUNT_USERS, MAILER } from './account-keys.js';
import { type AccountsOptions, readAccountsOptions } from './options.js';
import { personalTokensSection } from './personal-tokens/section.js';
import { requestPage } from './request-page.js';
import { emailSection, passwordSection } from './sections.js';

const CREDENTIAL_METHODS = [
  'findCredential',
  'addCredential',
  'replaceCredential',
  'removeCredential',
] as const satisfies readonly (keyof CredentialModel)[];

const logger = new Logger('OAuth2');

const twoSignUps = (path: string): string =>
  `The login page links to ${path}, the \`signUp\` of \`pages()\`, and the sign-up page of \`accounts()\` is open to everyone too: set ` +
  '`signUp: false` of `accounts()` if your page replaces it, or remove `signUp` of `pages()`.';

/**
 * Adds accounts with passwords to `pages()`: sign-up, verification of e-mail addresses, password reset, and sections of
 * the account page to change the password and the address. The application keeps the profiles of its users, and the
 * store keeps their passwords.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function accounts<U extends User = User>(options: AccountsOptions<U>): Feature {
  const settings = readAccountsOptions(options as object as AccountsOptions);
  const { rules, signUp, realm, authenticator, passkeys, gracePeriod } = settings;
  const hasFactors = authenticator || passkeys !== undefined;
  const messages = ACCOUNT_TEXTS;
  const asksForName = signUp === 'name';
  const isDeletable = gracePeriod !== undefined;
  const tokens = options.personalAccessTokens && personalAccessTokens(options.personalAccessTokens);
  return {
    id: 'accounts',
    requires: [
      ...CREDENTIAL_METHODS,
      'findCredentials',
      ...(isDeletable ? ['deleteAccount'] : []),
      'listSessions',
      'endSessions',
      'listApplications',
      'revokeGrantsOf',
      ...(tokens?.requires ?? []),
    ],
    endpoints: {
      ...(signUp !== false && { sign_up: requestPage('signUp', { messages, asksForName }) }),
      forgot_password: requestPage('forgot', { messages, asksForName: false }),
      new_password: newPasswordPage(messages),
      confirm_email: confirmEmailPage(messages),
      ...(authenticator && { authenticator: authenticatorPage(messages) }),
      ...(passkeys && passkeyEndpoints(messages)),
      ...(isDeletable && { keep_account: keepPage(messages) }),
      ...(hasFactors && { second_factor: secondFactorPage }),
    },
    settings: {
      minLength: rules.minLength,
      signUp,
      authenticator,
      passkeys: passkeys !== undefined,
      gracePeriod,
      personalTokenLifetime: tokens?.settings?.['maxLifetime'],
      hash: rules.hash,
      fetch: rules.fetch !== undefined,
    },
    injects: [
      injects(ACCOUNT_USERS, 'users', options.users, {
        methods: ['findById', 'findByEmail', 'create'],
        optionalMethods: ['update', 'delete', 'export', 'verifyPassword', 'credentialOf'],
      }),
      injects(MAILER, 'mail', options.mail, { methods: ['send'] }),
    ],
    install(builder) {
      const site = builder.use(SITE);
      if (realm !== undefined) builder.contribute(USER_REALMS, realm);
      tokens?.install?.(builder);
      builder.provide(ACCOUNTS, () => {
        const { server } = builder;
        const { issuer } = server.options;
        assertConfig(
          issuer !== undefined,
          '`accounts()` builds the links of e-mails from the issuer: set the option `issuer`',
        );
        const name = site().options.renderer.siteName ?? new URL(issuer).host;
        return new Accounts(server, { rules, messages, realm, authenticator, passkeys, gracePeriod }, name);
      });
      builder.provide(PASSWORDS, () => ({
        label: (preferences) => site().renderer.contextFor(preferences, messages).message('email'),
        find: (username) => builder.server.find(ACCOUNTS)!.passwords.find(username),
      }));
      builder.contribute(ACCOUNT_SECTIONS, emailSection(messages));
      builder.contribute(ACCOUNT_SECTIONS, passwordSection(messages));
      const accountsOfServer = () => builder.server.find(ACCOUNTS)!;
      if (authenticator) {
        builder.provide(DEFAULT_SECOND_FACTOR, () => accountsOfServer().authenticator!);
        builder.contribute(ACCOUNT_SECTIONS, authenticatorSection(messages));
      }
      builder.contribute(ACCOUNT_SECTIONS, personalTokensSection(messages));
      builder.contribute(ACCOUNT_SECTIONS, dataSection(messages));
      if (isDeletable) {
        builder.contribute(LOGIN_STEPS, keepStep(accountsOfServer));
        builder.provide(DUE_DELETIONS, () => accountsOfServer().deletions!);
      }
      if (hasFactors) {
        builder.provide(FACTOR_RESET, () => ({ reset: (userId) => resetFactors(accountsOfServer(), userId) }));
      }
      if (passkeys) installPasskeys(builder, accountsOfServer, messages);
      return {
        async verifyStoredState() {
          if (authenticator) await requireTotp();
          if (passkeys) await loadWebAuthn();
          const { signUp: ownPage } = site().options;
          if (ownPage !== undefined && signUp !== false) logger.warn(twoSignUps(ownPage));
          // Finishes deletions in the background from now on.
          accountsOfServer();
        },
        misconfigurations: (server) => [
          ...(rules.hash === 'argon2id' && !hasArgon2id()
            ? [
                "`hash: 'argon2id'` of the `password` of `accounts()` requires Node.js 24.7 or later: upgrade Node.js, or use scrypt",
              ]
            : []),
          ...(authenticator && !server.find(MODEL_SECRETS)
            ? ['`authenticator` of `accounts()` encrypts what it stores: set the option `secret`']
            : []),
          ...(hasFactors && !hasOnce(server.options.model)
            ? [
                '`authenticator` and `passkeys` of `accounts()` require the model method `once()`, which rejects used codes',
              ]
            : []),
          ...(isDeletable && !server.find(ACCOUNT_USERS)?.delete
            ? ['`deletion` of `accounts()` requires the method `delete()` of `users`']
            : []),
          ...(passkeys ? findPasskeyErrors(server, passkeys) : []),
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
