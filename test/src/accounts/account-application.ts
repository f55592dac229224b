import type { INestApplicationContext, Type } from '@nestjs/common';
import { OAuth2Module, type OAuth2ModuleOptions, type User } from 'nest-oauth2';
import type { Feature } from 'nest-oauth2/features';
import { accounts, type AccountsOptions, type AccountUsers, type Mail } from 'nest-oauth2/accounts';
import { pages, type PagesOptions } from 'nest-oauth2/pages';
import { hashPassword, verifyPassword } from 'nest-oauth2/stores';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { CHALLENGE } from '../../support/clients/requests.js';
import { SECRET } from '../../support/servers/demo.js';
import { ANY_PLATFORM, type Platform, startApplication } from '../../support/servers/test-application.js';
import { waitUntil } from '../../support/environment/wait-until.js';
import { PageBrowser, type ShownPage } from '../pages/page-browser.js';

export const ISSUER = 'https://id.example';
export const PASSWORD = 'violet kettle on the moor';
export const NEW_PASSWORD = 'eleven quiet bicycles';

/** The path of an authorization request of the client `web`. */
export const AUTHORIZE = `/oauth/authorize?${new URLSearchParams({
  client_id: 'web',
  response_type: 'code',
  scope: 'read',
  state: 'xyz',
  redirect_uri: 'https://app.example/callback',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
}).toString()}`;

interface Row extends User {
  id: string;
  email: string;
  name?: string;
  hash?: string;
}

/** The users table of an application. */
export class UserTable implements AccountUsers<Row> {
  readonly rows = new Map<string, Row>();

  findById(id: string) {
    return copyOf(this.rows.get(id));
  }

  findByEmail(email: string) {
    return copyOf([...this.rows.values()].find((row) => row.email === email));
  }

  async create(profile: { email: string; name?: string }) {
    const id = String(this.rows.size + 1);
    this.rows.set(id, { id, ...profile });
    return this.findById(id);
  }

  async update({ id }: Row, changes: { email: string }) {
    Object.assign(this.rows.get(id)!, changes);
    return this.findById(id);
  }
}

/** A users table with its own column for passwords. */
export class TableWithPasswords extends UserTable {
  calls = 0;

  async add(email: string, password: string): Promise<void> {
    const user = await this.create({ email });
    this.rows.get(user!.id)!.hash = await hashPassword(password);
  }

  async verifyPassword(user: Row | undefined, password: string) {
    this.calls += 1;
    return verifyPassword(password, user?.hash);
  }
}

const copyOf = (row: Row | undefined) => row && { ...row };

interface Setup<T extends UserTable> {
  users?: T;
  features?: Feature[];
  options?: Partial<AccountsOptions>;
  look?: PagesOptions;
  platform?: Platform;
  /** The store of another application, as a further process has it. */
  model?: MemoryStore;
  module?: Partial<OAuth2ModuleOptions>;
  controllers?: Type[];
}

/** An application with accounts, whose e-mails go to a list. */
export class AccountApplication {
  readonly mails: Mail[] = [];
  /** Makes the next e-mails fail. */
  failures = 0;
  url = '';
  /** The application itself, for commands. */
  nest!: INestApplicationContext;

  private constructor(
    readonly users: UserTable,
    readonly model: MemoryStore,
  ) {}

  static async start<T extends UserTable>({ users, features = [], options, look, ...more }: Setup<T> = {}) {
    const table = users ?? new UserTable();
    const model =
      more.model ??
      new MemoryStore({
        users: table,
        clients: [
          {
            id: 'web',
            name: 'Notes',
            grants: ['authorization_code', 'refresh_token'],
            redirectUris: ['https://app.example/callback'],
            scopes: ['read'],
            tokenEndpointAuthMethod: 'none',
          },
        ],
      });
    const app = new AccountApplication(table, model);
    const mail = {
      send: (one: Mail) => {
        app.failures -= 1;
        if (app.failures >= 0) throw new Error('The mail server is unavailable');
        app.mails.push(one);
      },
    };
    const { url, app: nest } = await startApplication(more.platform ?? ANY_PLATFORM[0]!, {
      imports: [
        OAuth2Module.forRoot({
          model,
          isGlobal: true,
          secret: SECRET,
          issuer: ISSUER,
          ...more.module,
          features: [
            pages({ site: 'Example Notes', ...look }),
            accounts({ users: table, mail, ...options }),
            ...features,
          ],
        }),
      ],
      controllers: more.controllers ?? [],
    });
    Object.assign(app, { url, nest });
    return app;
  }

  browser(): PageBrowser {
    return new PageBrowser(this.url, { 'x-forwarded-proto': 'https' });
  }

  /** Requests a link on a page, and returns the e-mail that is sent. `undefined` if none is sent. */
  async request(path: string, email: string, browser = this.browser(), more: object = {}) {
    const before = this.mails.length;
    const shown = await browser.send(await browser.get(path), { email, ...more });
    return { shown, mail: await this.nextMail(before, ['password', 'moved', 'factors']) };
  }

  /**
   * Waits until all ordered e-mails are sent, which the store contains until then. Returns the next one after `before`
   * others, except those with the templates `except`.
   */
  async nextMail(before: number, except: readonly string[] = []): Promise<Mail | undefined> {
    await waitUntil(async () => (await this.model.listNotifications()).length === 0);
    return this.mails.slice(before).find(({ template }) => !except.includes(template));
  }

  /** Signs up, and returns the browser, which is signed in. */
  async signUp(email: string, password = PASSWORD): Promise<PageBrowser> {
    const browser = this.browser();
    const { mail } = await this.request('/oauth/sign_up', email, browser);
    const done = await choose(browser, mail!, password);
    if (done.status !== 303) throw new Error(`The sign-up was refused: ${done.html}`);
    return browser;
  }

  /** Signs in on the login page in a new browser. */
  async signIn(email: string, password: string): Promise<{ shown: ShownPage; browser: PageBrowser }> {
    const browser = this.browser();
    return { browser, shown: await browser.signIn('/oauth/login', email, password) };
  }
}

/** Returns the path and query of the link in an e-mail. */
export function pathIn({ link }: Mail): string {
  const { origin, pathname, search } = new URL(link!);
  if (origin !== ISSUER) throw new Error(`The link leads to ${origin}`);
  return pathname + search;
}

/** Opens the link of an e-mail, and chooses a password. */
export async function choose(browser: PageBrowser, mail: Mail, password: string, more: object = {}) {
  return browser.send(await browser.get(pathIn(mail)), { new_password: password, ...more });
}

/** Returns the fields of a form of a section of the account page. If `formName` is omitted, of the first form. */
export async function sectionForm(
  browser: PageBrowser,
  section: string,
  formName = '',
  path = '/oauth/account',
): Promise<Record<string, string>> {
  const { html } = await browser.get(path);
  const part = html.split(`id="section-${section}"`)[1]!.split('</section>')[0]!;
  const form =
    (part.match(/<form[^]*?<\/form>/g) ?? []).find((one) => one.includes(`name="form" value="${formName}`)) ?? '';
  return Object.fromEntries(
    [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
}

/** Whether a user is signed in in a browser. */
export const isSignedIn = async (browser: PageBrowser) => (await browser.get('/oauth/account')).status === 200;
