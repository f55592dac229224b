import { hash } from 'node:crypto';
import { assertConfig, capability, MODEL_SECRETS, PERSONAL_TOKENS } from '../../lib/internal.js';
import {
  type ConsentModel,
  type CredentialModel,
  type Model,
  networkOf,
  OAuth2Grants,
  type PersonalTokenModel,
  type ServerContext,
  type User,
} from '../../lib/index.js';
import type { PageCall } from '../pages/index.js';
import { UserSessions } from '../pages/sessions/user-sessions.js';
import { realmOf, usersFilter } from '../tenants/tenant-of.js';
import { Deletions } from './deletion/deletions.js';
import { Authenticator } from './factors/authenticator.js';
import { Links } from './links.js';
import { Passkeys } from './passkeys/passkeys.js';
import { Mails } from './mails.js';
import type { AccountMessages } from './messages.js';
import { ACCOUNT_USERS, MAILER } from './account-keys.js';
import type { AccountUsers, Mailer, PasskeyOptions, PasswordRules } from './options.js';
import { Passwords } from './passwords.js';

/** The settings of `accounts()` that its pages read. */
export interface AccountSettings {
  readonly rules: PasswordRules;
  readonly messages: AccountMessages;
  readonly realm: string | undefined;
  /** Whether users can set up an authenticator app. */
  readonly authenticator: boolean;
  /** Whether users can add passkeys. The `rpId` is that of the application. */
  readonly passkeys: PasskeyOptions | undefined;
  /** Seconds until an account is deleted. `undefined` if users cannot delete their account. */
  readonly gracePeriod: number | undefined;
}

/** The state that the pages of `accounts()` share on one server. */
export class Accounts {
  readonly users: AccountUsers;
  readonly mailer: Mailer;
  /** The realm of the users, since users of two tenants may have the same ID. */
  readonly realm: string;
  readonly passwords: Passwords;
  /** `undefined` if users cannot set up an authenticator app. */
  readonly authenticator: Authenticator | undefined;
  /** `undefined` if users cannot add passkeys. */
  readonly passkeys: Passkeys | undefined;
  /** `undefined` if users cannot delete their account. */
  readonly deletions: Deletions | undefined;
  readonly links: Links;
  readonly mails: Mails;
  readonly messages: AccountMessages;
  readonly rules: PasswordRules;

  constructor(
    readonly server: ServerContext,
    readonly settings: AccountSettings,
    /** The name of the site for e-mails and passwords. */
    readonly siteName: string,
  ) {
    this.users = server.find(ACCOUNT_USERS)!;
    this.mailer = server.find(MAILER)!;
    this.realm = realmOf(server, settings.realm);
    this.messages = settings.messages;
    this.rules = settings.rules;
    const model = server.options.model as object as CredentialModel;
    this.passwords = new Passwords(model, this.users, this.realm, settings.rules.hash);
    if (settings.authenticator) {
      this.authenticator = new Authenticator(model, server.find(MODEL_SECRETS) ?? [], this.realm);
    }
    if (settings.passkeys) this.passkeys = new Passkeys(model, server, this.realm, settings.passkeys.rpId);
    this.links = new Links(model, this.users, this.passwords, this.realm);
    this.mails = new Mails(this);
    if (settings.gracePeriod !== undefined) this.deletions = new Deletions(this, settings.gracePeriod);
  }

  /** Returns the URL of a page for an e-mail. It is built from the issuer, never from the `Host` header. */
  urlOf(endpoint: string, token?: string): string {
    const url = new URL(this.server.urlOf(endpoint, this.server.options.issuer)!);
    if (token !== undefined) url.searchParams.set('token', token);
    return url.href;
  }

  /**
   * Ends the sessions, remembered logins and pending logins of a user after a change of the password.
   * @param keepsHere whether the session of this browser continues
   */
  async endSessions(user: User, call: PageCall, keepsHere: boolean): Promise<void> {
    const { modelSessions } = call.site;
    if (!modelSessions) return;
    const current = keepsHere ? await modelSessions.findSession(call.request) : undefined;
    await new UserSessions(this.server).endOthers(user, current);
  }

  /** Removes the access of all applications, and revokes the personal access tokens. */
  async endAccess(user: User): Promise<void> {
    const tokens = this.server.find(PERSONAL_TOKENS);
    const model = this.server.options.model as Model & ConsentModel & Partial<PersonalTokenModel>;
    const userId = String(user['id']);
    const grants = OAuth2Grants.of(this.server);
    const at = usersFilter(this.server);
    for (const { id } of (await model.listPersonalTokens?.({ userId, ...at })) ?? []) {
      // The token may be that of another server with the same users.
      if (!(await tokens?.revoke(user, id))) await grants.end({ userId, grantId: id, ...at });
    }
    for (const { clientId } of await model.listApplications(userId, at)) await grants.end({ userId, clientId, ...at });
  }
}

/** The capability key of the accounts of a server. */
export const ACCOUNTS = capability<Accounts>('accounts', 'accounts');

/** Returns the accounts of the server of a page. */
export function accountsOf({ server }: Pick<PageCall, 'server'>): Accounts {
  const found = server.find(ACCOUNTS);
  assertConfig(found, 'this page requires the feature `accounts()`: add it to `features`');
  return found;
}

/** Returns the network whose hashes a page computes, so that networks take turns. */
export const hashNetworkOf = (call: PageCall): string => call.network ?? networkOf('');

/** The binding of the CSRF token whose digest identifies a browser. */
export const BROWSER_BINDING = ' of a link in an e-mail';

/** Returns a text that identifies the browser of a page, and cannot be used as its cookie. */
export const browserOf = (call: PageCall): string =>
  hash('sha256', String(call.fields({}, BROWSER_BINDING)['csrf_token']), 'base64url');
