import { oauthEntities } from 'nest-oauth2/stores/typeorm';
import { OAuth2Module } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore, type Users } from 'nest-oauth2/stores/memory';
import { DataSource, type DataSourceOptions, type EntityTarget, type ObjectLiteral } from 'typeorm';

import { PageBrowser } from '../../src/pages/page-browser.js';
import { SECRET } from '../../support/demo.js';
import { startApplication } from '../../support/test-application.js';
import { GuideCode } from './guide-code.js';

export const PASSWORD_PAGES = ['docs/guides/users-and-passwords.md', 'docs/guides/sign-up-and-reset.md'];

/** An e-mail that the application sent. */
export interface Mail {
  to: string;
  text: string;
}

interface Code {
  Account: EntityTarget<ObjectLiteral>;
  UsersService: new (db: DataSource) => Users;
  PasswordController: new (...injected: never[]) => object;
  sent: Mail[];
}

/** Imports the code of the guides about passwords. */
export async function passwordCode(guide: GuideCode): Promise<Code> {
  return {
    ...(await guide.import<Pick<Code, 'Account' | 'UsersService'>>('src/users.service.ts')),
    ...(await guide.import<Pick<Code, 'PasswordController'>>('src/password.controller.ts')),
    ...(await guide.import<Pick<Code, 'sent'>>('src/mail.ts')),
  };
}

/** Writes the code of the guides about passwords, with a function that collects e-mails. */
export function writePasswordCode(name: string): GuideCode {
  process.env['OAUTH2_SECRET'] = SECRET;
  const mail = `export const sent: { to: string; text: string }[] = [];
export const sendMail = async (to: string, text: string) => void sent.push({ to, text });`;
  return GuideCode.write(name, PASSWORD_PAGES, { 'src/mail.ts': mail });
}

/** An application with the sign-in, sign-up and password reset of the guides. */
export class PasswordApplication {
  readonly sent: Mail[];

  private constructor(
    readonly url: string,
    readonly users: Users,
    private readonly model: MemoryStore,
    private readonly db: DataSource,
    { sent }: Code,
  ) {
    this.sent = sent;
    sent.length = 0;
  }

  /** Starts the application. `create` creates the table of the accounts. */
  static async start(
    code: Code,
    options: DataSourceOptions,
    create: (db: DataSource) => Promise<unknown> = (db) => db.synchronize(),
  ): Promise<PasswordApplication> {
    const entities = [code.Account, ...oauthEntities()];
    const db = await new DataSource({ ...options, entities } as DataSourceOptions).initialize();
    await create(db);
    const users = new code.UsersService(db);
    const features = [pages({ signUp: '/password', forgotPassword: '/password' })];
    const model = new MemoryStore({ users });
    const { url } = await startApplication('express', {
      imports: [OAuth2Module.forRoot({ model, secret: SECRET, features })],
      controllers: [code.PasswordController],
      providers: [{ provide: code.UsersService, useValue: users }],
    });
    return new PasswordApplication(url, users, model, db, code);
  }

  browser(): PageBrowser {
    return new PageBrowser(this.url);
  }

  /** Returns the user with this address and password, as the store finds it at a sign-in. */
  async signIn(email: string, password: string) {
    return this.model.getUser(email, password);
  }

  /** Requests a link for an address. Returns the page, and the e-mail that was sent. */
  async request(email: string, browser = this.browser()) {
    this.sent.length = 0;
    const page = await browser.send(await browser.get('/password'), { email });
    return { page, mail: this.sent[0] };
  }

  /** Opens the link of an e-mail and chooses a password. */
  async choose(mail: Mail, password: string, browser = this.browser()) {
    const { pathname, search } = new URL(/https:\S+/.exec(mail.text)![0]);
    return browser.send(await browser.get(pathname + search), { password });
  }

  /** Requests a link for an address, opens it and chooses a password. */
  async reset(email: string, password: string, browser = this.browser()) {
    const { mail } = await this.request(email);
    return this.choose(mail!, password, browser);
  }

  async close(): Promise<void> {
    await this.db.destroy();
  }
}
