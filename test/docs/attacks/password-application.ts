import { oauthEntities } from 'nest-oauth2/stores/typeorm';
import { OAuth2Module } from 'nest-oauth2';
import { accounts, type AccountUsers } from 'nest-oauth2/accounts';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore, type Users } from 'nest-oauth2/stores/memory';
import { DataSource, type DataSourceOptions, type EntityTarget, type ObjectLiteral } from 'typeorm';

import { PageBrowser } from '../../src/pages/page-browser.js';
import { waitUntil } from '../../support/environment/wait-until.js';
import { SECRET } from '../../support/servers/demo.js';
import { startApplication } from '../../support/servers/test-application.js';
import type { GuideCode } from './guide-code.js';

interface Code<T> {
  Account: EntityTarget<ObjectLiteral>;
  UsersService: new (db: DataSource) => T;
}

/** A user of `docs/guides/users-and-passwords.md`. */
export interface PasswordUser {
  id: string;
  email: string;
  passwordVersion: number;
}

/** The users of `docs/guides/users-and-passwords.md`, with their passwords. */
export interface PasswordUsers extends Users {
  create(email: string, password: string, network: string): Promise<PasswordUser | null>;
  setPassword(user: PasswordUser, password: string, network: string): Promise<PasswordUser | null>;
}

/** The users service of a guide, over a table in a database. */
export class OpenTable<T> {
  private constructor(
    readonly users: T,
    readonly db: DataSource,
  ) {}

  /** Opens a database. `create` creates the table `accounts`. */
  static async open<T>(
    guide: GuideCode,
    options: DataSourceOptions,
    create: (db: DataSource) => Promise<unknown> = (db) => db.synchronize(),
  ): Promise<OpenTable<T>> {
    const { Account, UsersService } = await guide.import<Code<T>>('src/users.service.ts');
    const entities = [Account, ...oauthEntities()];
    const db = await new DataSource({ ...options, entities } as DataSourceOptions).initialize();
    await create(db);
    return new OpenTable(new UsersService(db), db);
  }

  async close(): Promise<void> {
    await this.db.destroy();
  }
}

/** An e-mail that the application sent. */
interface Sent {
  to: string;
  link?: string | undefined;
}

/** An application with `accounts()` over the users service of `docs/guides/sign-up-and-reset.md`. */
export class SignUpApplication {
  readonly sent: Sent[] = [];
  private url = '';

  private constructor(private readonly model: MemoryStore) {}

  static async start(users: AccountUsers): Promise<SignUpApplication> {
    const model = new MemoryStore({ users });
    const app = new SignUpApplication(model);
    const mail = { send: ({ to, link }: Sent) => void app.sent.push({ to, link }) };
    const features = [pages(), accounts({ users, mail })];
    const options = { model, issuer: 'https://id.example', secret: SECRET, features };
    ({ url: app.url } = await startApplication('express', { imports: [OAuth2Module.forRoot(options)] }));
    return app;
  }

  /** Requests a link on a page. Returns the e-mail to this address, or `undefined` if none is sent. */
  async request(page: 'sign_up' | 'forgot_password', email: string): Promise<Sent | undefined> {
    const before = this.sent.length;
    const browser = this.browser();
    await browser.send(await browser.get(`/oauth/${page}`), { email });
    // The store contains an ordered e-mail until it is sent.
    await waitUntil(async () => (await this.model.listNotifications()).length === 0);
    return this.sent.slice(before).find(({ to }) => to === email);
  }

  /** Opens the link of an e-mail and chooses a password. */
  async choose({ link }: Sent, password: string) {
    const { pathname, search } = new URL(link!);
    const browser = this.browser();
    return browser.send(await browser.get(pathname + search), { new_password: password });
  }

  /** Whether a user can sign in with a password. */
  async canSignIn(email: string, password: string): Promise<boolean> {
    return (await this.browser().signIn('/oauth/login', email, password)).status === 303;
  }

  private browser(): PageBrowser {
    return new PageBrowser(this.url, { 'x-forwarded-proto': 'https' });
  }
}
