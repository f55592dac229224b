import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';

import { FetchError, foldedName, type NewNotification, Notifications, RateLimit } from '../../lib/internal.js';
import { Request, type ServerContext, type User } from '../../lib/index.js';
import { SITE } from '../pages/site.js';
import { withContext } from '../module/oauth2-context.js';
import { emailOf } from './email.js';
import type { LinkData, Links } from './links.js';
import type { AccountMessage, AccountMessages } from './messages.js';
import type { AccountUsers, Mail, Mailer, MailTemplate } from './options.js';

/** An e-mail that a page has requested. Whether and what is sent is decided later, out of sight of the browser. */
export interface MailOrder extends Pick<LinkData, 'name' | 'returnTo' | 'browser'> {
  /** `forgot` and `signUp`: for a typed address. `change`: a new address. The others report a change. */
  readonly about: 'forgot' | 'signUp' | 'change' | 'moved' | 'password' | 'factors' | 'deletion' | 'deleted';
  /** The typed or new address. */
  readonly email: string;
  /** The ID of the signed-in user. */
  readonly userId?: string;
  /** The address to inform, if it is not that of the user. */
  readonly to?: string;
  /** When the account is deleted, as ISO 8601. */
  readonly due?: string;
  readonly language: string;
}

/** The accounts of a server, for its e-mails. */
interface MailSource {
  readonly server: ServerContext;
  readonly users: AccountUsers;
  readonly mailer: Mailer;
  readonly realm: string;
  readonly siteName: string;
  readonly messages: AccountMessages;
  readonly links: Links;
  urlOf(endpoint: string, token?: string): string;
}

/** Seconds for which a message is sent again if that fails. */
const RETRIED = 3600;
/** The request in whose place a message is processed. That of the browser has ended. */
const REQUEST = new Request({ headers: {}, method: 'POST', query: {}, body: {} });
/** Milliseconds until a message is processed, so that its work does not delay the response to the browser. */
const DELAY = 20;

/** The limits of e-mails with one template to one account, and to one address without an account. */
const toAccount = new RateLimit('accounts: mail to account', { requests: 5, per: 3600 });
const toStranger = new RateLimit('accounts: mail to address', { requests: 5, per: 3600 });

const SUBJECTS: Readonly<Record<MailTemplate, readonly [subject: AccountMessage, text: AccountMessage]>> = {
  reset: ['mailResetSubject', 'mailResetText'],
  signUp: ['mailSignUpSubject', 'mailSignUpText'],
  exists: ['mailExistsSubject', 'mailExistsText'],
  change: ['mailChangeSubject', 'mailChangeText'],
  taken: ['mailTakenSubject', 'mailTakenText'],
  moved: ['mailMovedSubject', 'mailMovedText'],
  password: ['mailPasswordSubject', 'mailPasswordText'],
  factors: ['mailFactorsSubject', 'mailFactorsText'],
  deletion: ['mailDeletionSubject', 'mailDeletionText'],
  deleted: ['mailDeletedSubject', 'mailDeletedText'],
};

/**
 * Sends the e-mails of one server in the background. The outbox of the server stores each order until it is processed,
 * and repeats it if the mailer fails. An order contains no link, so that the store never contains one.
 */
export class Mails {
  private readonly outbox: Notifications;
  private readonly issuer: string;
  private readonly logger = new Logger('OAuth2 mail');

  constructor(private readonly accounts: MailSource) {
    const { server } = accounts;
    this.issuer = server.options.issuer!;
    this.outbox = Notifications.of(server.options.model);
    this.outbox.register('mail', this.issuer, {
      send: async ({ data }) => {
        await pause(DELAY);
        try {
          // The users of the application may read the tenant of the current request.
          await withContext(server, REQUEST, () => this.process(data as unknown as MailOrder));
        } catch (error) {
          throw new FetchError('network', 'The e-mail could not be sent', { cause: error });
        }
      },
      done: ({ data }, failure) => {
        if (failure === undefined) return;
        const { cause = failure } = failure as Error;
        this.logger.warn(
          `An e-mail about ${data['about']} could not be sent, and is sent again later: ${String(cause)}`,
        );
      },
    });
  }

  /**
   * Stores an order, and returns before it is processed.
   * @param network the network of the browser. One network can use only a part of the outbox.
   */
  async order(order: MailOrder, network = ''): Promise<void> {
    const data = Object.fromEntries(Object.entries(order).filter((entry) => entry[1] !== undefined)) as Record<
      string,
      string
    >;
    const message: NewNotification = { kind: 'mail', issuer: this.issuer, clientId: network, host: 'mail', data };
    await this.outbox.add(message, new Date(Date.now() + RETRIED * 1000));
  }

  private async process(order: MailOrder): Promise<void> {
    const { email, userId, about } = order;
    const { users } = this.accounts;
    const owner = (await users.findByEmail(email)) || undefined;
    const user = userId === undefined ? owner : (await users.findById(userId)) || undefined;
    if (about === 'forgot') return owner && this.deliver('reset', order, owner);
    if (about === 'signUp') return this.deliver(owner ? 'exists' : 'signUp', order, owner);
    if (about === 'change' && owner) return this.deliver('taken', order, owner);
    // The user does not exist any more.
    if (about === 'deleted') return this.deliver('deleted', order, undefined);
    return user && this.deliver(about, order, user);
  }

  private async deliver(template: MailTemplate, order: MailOrder, user: User | undefined): Promise<void> {
    const { accounts } = this;
    const { about, email, language } = order;
    const { renderer } = accounts.server.find(SITE)!;
    // The stored address, since a database may find it by another spelling.
    const to = order.to ?? (template === 'change' || !user ? email : emailOf(user));
    if (to === undefined) return;
    const isKnown = user && to === emailOf(user);
    const [limit, key] = isKnown ? [toAccount, String(user['id'])] : [toStranger, foldedName(to)];
    // Strangers can order some templates: these must not use up the limit of the others, such as a password reset.
    const limitKey = JSON.stringify([accounts.realm, template, key]);
    const { model } = accounts.server.options;
    // A change is always reported, so that an attacker cannot suppress the report by other e-mails.
    const isLimited = ['forgot', 'signUp', 'change'].includes(about);
    if (isLimited && (await limit.add(limitKey, model)) > 0) return;
    try {
      const link = await this.linkFor(template, order, user);
      await renderer.loadLanguage({ uiLocales: language });
      const values = {
        site: accounts.siteName,
        email,
        ...(link !== undefined && { link }),
        ...(order.due !== undefined && { date: dateOf(order.due, language) }),
      };
      const [subject, text] = SUBJECTS[template];
      const mail: Mail = {
        to,
        template,
        language,
        ...(link !== undefined && { link }),
        ...(user && { user }),
        subject: renderer.plainText(accounts.messages, subject, language, values),
        text: renderer.plainText(accounts.messages, text, language, values),
      };
      await accounts.mailer.send(mail);
    } catch (error) {
      if (isLimited) await limit.giveBack(limitKey, model);
      throw error;
    }
  }

  private async linkFor(template: MailTemplate, order: MailOrder, user: User | undefined): Promise<string | undefined> {
    const { accounts } = this;
    const { email, name, returnTo, browser } = order;
    const data = { email, name, returnTo, browser };
    if (template === 'reset' || template === 'signUp') {
      return accounts.urlOf('new_password', await accounts.links.create({ ...data, purpose: template }, user));
    }
    if (template === 'change') {
      return accounts.urlOf('confirm_email', await accounts.links.create({ ...data, purpose: template }, user));
    }
    if (template === 'deletion') {
      const due = new Date(order.due!);
      return accounts.urlOf('keep_account', await accounts.links.create({ email, purpose: 'keep' }, user, due));
    }
    return template === 'exists' || template === 'password' ? accounts.urlOf('forgot_password') : undefined;
  }
}

/** Returns a day in a language. */
const dateOf = (due: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(due));
