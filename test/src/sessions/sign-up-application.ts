import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import {
  type NativeReply,
  type NativeRequest,
  OAuth2Module,
  type OAuth2ModuleOptions,
  OAuth2Sessions,
} from 'nest-oauth2';
import { html, pages, type PagesOptions } from 'nest-oauth2/pages';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import { SECRET } from '../../support/servers/demo.js';
import {
  type TestApplicationOptions,
  type Platform,
  startApplication,
} from '../../support/servers/test-application.js';
import { type ShownPage, PageBrowser } from '../pages/page-browser.js';

export const CALLBACK = 'https://app.example/callback';
export const SESSION = 'oauth2-session';

const web: StoredClient = {
  id: 'web',
  name: 'Notes',
  secret: 'secret-of-the-client-web',
  grants: ['authorization_code', 'refresh_token'],
  redirectUris: [CALLBACK],
  scopes: ['openid', 'notes:read'],
  consent: 'never',
};

interface Account {
  id: string;
  username: string;
  password: string;
}

/** A store with accounts that users can create. */
export class Accounts extends MemoryStore {
  readonly accounts: Account[];

  constructor() {
    const accounts: Account[] = [{ id: '1', username: 'alice', password: 'wonderland' }];
    super({
      clients: [web],
      users: {
        findById: (id) => accounts.find((one) => one.id === id),
        findByCredentials: (name, password) =>
          accounts.find((one) => one.username === name && one.password === password),
      },
    });
    this.accounts = accounts;
  }

  create(username: string, password: string): Account {
    const account = { id: String(this.accounts.length + 1), username, password };
    this.accounts.push(account);
    return account;
  }

  getClaims = () => ({});
}

type Body = Record<string, string>;

/** The application’s own pages. The header `x-options` replaces decisions of a real application. */
@Controller()
export class SignUpController {
  constructor(
    @Inject(OAuth2Sessions) readonly sessions: OAuth2Sessions,
    @Inject(Accounts) readonly accounts: Accounts,
  ) {}

  @Get('sign-up')
  async show(@Req() request: NativeRequest, @Res() reply: NativeReply): Promise<void> {
    const fields = await this.sessions.formFields(request, reply);
    const main = html`<form method="post" action="/sign-up">
      ${fields}
      <label for="username">Username</label>
      <input id="username" name="username" required />
      <label for="password">Password</label>
      <input id="password" name="password" type="password" required />
      <button class="primary wide">Create account</button>
    </form>`;
    await this.sessions.page(request, reply, { title: 'Create <account>', main });
  }

  @Post('sign-up')
  async signUp(@Req() request: NativeRequest, @Res() reply: NativeReply): Promise<void> {
    const { username, password } = request.body as Body;
    await this.signIn(request, reply, this.accounts.create(username!, password!));
  }

  /** The link in an e-mail, or the callback of an identity provider. */
  @Get('link')
  async link(@Req() request: NativeRequest, @Res() reply: NativeReply): Promise<void> {
    await this.signIn(request, reply, this.accounts.accounts[0]!);
  }

  @Post('sign-out')
  async signOut(@Req() request: NativeRequest, @Res() reply: NativeReply): Promise<void> {
    await this.sessions.signOut(request, reply);
    send(reply, 200, { signedOut: true });
  }

  @Get('me')
  async me(@Req() request: NativeRequest, @Res() reply: NativeReply): Promise<void> {
    send(reply, 200, { user: (await this.sessions.findUser(request))?.['username'] ?? null });
  }

  private async signIn(request: NativeRequest, reply: NativeReply, user: Account): Promise<void> {
    const options = JSON.parse((request.headers['x-options'] as string | undefined) ?? '{}') as object;
    try {
      send(reply, 200, { next: await this.sessions.signIn(request, reply, { ...user }, options) });
    } catch (error) {
      send(reply, (error as { code: number }).code, { message: (error as Error).message });
    }
  }
}

/** Sends JSON through Express or Fastify. */
export function send(reply: NativeReply, status: number, body: object): void {
  if ('code' in reply) {
    reply.code(status);
    reply.header('content-type', 'application/json');
    reply.send(JSON.stringify(body));
  } else {
    reply.statusCode = status;
    reply.setHeader('content-type', 'application/json');
    reply.end(JSON.stringify(body));
  }
}

export interface Setting extends TestApplicationOptions {
  pages?: PagesOptions;
  module?: Partial<OAuth2ModuleOptions>;
  features?: NonNullable<OAuth2ModuleOptions['features']>;
  providers?: { provide: unknown; useValue: unknown }[];
}

/** Starts an application with its own sign-up page. */
export async function openSignUp(platform: Platform, setting: Setting = {}) {
  const { pages: options, module, features = [], ...host } = setting;
  const store = new Accounts();
  const site = pages({ signUp: '/sign-up', ...options });
  const imports = [OAuth2Module.forRoot({ model: store, features: [...features, site], secret: SECRET, ...module })];
  const providers = [{ provide: Accounts, useValue: store }];
  const { app, url } = await startApplication(platform, { imports, controllers: [SignUpController], providers }, host);
  return { app, url, store, browser: new PageBrowser(url) };
}

export const authorize = (change: Record<string, string> = {}): string => {
  const usual = { response_type: 'code', client_id: 'web', scope: 'notes:read', state: 'xyz', redirect_uri: CALLBACK };
  return `/oauth/authorize?${new URLSearchParams({ ...usual, ...change }).toString()}`;
};

/** Returns the URL of the sign-up link on a page, unescaped. */
export const signUpLink = ({ html: page }: ShownPage): string =>
  /href="(\/sign-up[^"]*)"/.exec(page)![1]!.replaceAll('&amp;', '&');

/** Parses a response body as JSON. */
export const jsonOf = ({ html: body }: ShownPage) =>
  JSON.parse(body) as { next?: string | null; message?: string; user?: string | null };
