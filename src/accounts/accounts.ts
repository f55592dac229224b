import { hash } from 'node:crypto';
import { assertConfig, networkOf } from '../../lib/adapter/index.js';
import { capability, type CredentialModel, type ServerContext, type User } from '../../lib/index.js';
import type { PageCall } from '../pages/index.js';
import { UserSessions } from '../pages/sessions/user-sessions.js';
import { realmOf, tenantFilter } from '../tenants/tenant-of.js';
import { Links } from './links.js';
import { Mails } from './mails.js';
import type { AccountMessages } from './messages.js';
import { ACCOUNT_USERS, type AccountUsers, MAILER, type Mailer, type PasswordRules } from './options.js';
import { Passwords } from './passwords.js';

/** The settings of `accounts()` that its pages read. */
export interface AccountSettings {
  readonly rules: PasswordRules;
  readonly messages: AccountMessages;
  readonly realm: string | undefined;
}

/** What the pages of `accounts()` share on one server. */
export class Accounts {
  readonly users: AccountUsers;
  readonly mailer: Mailer;
  /** The realm of the users, since users of two tenants may have the same ID. */
  readonly realm: string;
  readonly passwords: Passwords;
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
    this.passwords = new Passwords(model, this.users, this.realm);
    this.links = new Links(model, this.users, this.passwords, this.realm);
    this.mails = new Mails(this);
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

  /** Removes the access of all applications. */
  async endAccess(user: User): Promise<void> {
    const { model } = this.server.options;
    const { listApplications, revokeGrantsOf } = model as Partial<GrantsOfUser>;
    if (!listApplications || !revokeGrantsOf) return;
    const userId = String(user['id']);
    const at = tenantFilter(this.server);
    for (const { clientId } of await listApplications.call(model, userId, at)) {
      await revokeGrantsOf.call(model, { userId, clientId, ...at });
    }
  }
}

interface GrantsOfUser {
  listApplications(userId: string, at?: { issuer: string }): Promise<readonly { clientId: string }[]>;
  revokeGrantsOf(filter: { userId: string; clientId: string; issuer?: string }): Promise<number>;
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

/** Returns a text that identifies the browser of a page, and cannot be used as its cookie. */
export const browserOf = (call: PageCall): string =>
  hash('sha256', String(call.fields({}, ' of a link in an e-mail')['form_token']), 'base64url');
