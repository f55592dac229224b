import { EventEmitter } from 'node:events';

import type { Type } from '@nestjs/common';
import { OAuth2Module, type OAuth2ModuleOptions } from 'nest-oauth2';
import { pages, type PagesOptions } from 'nest-oauth2/pages';
import type { User } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import {
  oidc,
  type OidcOptions,
  type ProviderSetting,
  type UpstreamAccounts,
  type UpstreamProfile,
  upstreams,
  type UpstreamsOptions,
} from 'nest-oauth2/upstreams';

import { SECRET } from '../../support/servers/demo.js';
import {
  type Platform,
  startApplication,
  type TestApplicationOptions,
} from '../../support/servers/test-application.js';
import { PageBrowser, type ShownPage } from '../pages/page-browser.js';
import { type Claims, StandIn } from './stand-in.js';

export const ISSUER = 'https://id.example.com';

/** An account of the application. */
export interface Account extends User {
  id: string;
  name: string;
  email?: string | undefined;
  isVerified?: boolean;
  password?: string;
}

/** The accounts of an application that keeps them in memory. */
export class Accounts implements UpstreamAccounts<Account> {
  readonly all: Account[] = [
    { id: '1', name: 'Alice', email: 'alice@example.com', isVerified: true, password: 'wonderland' },
  ];
  readonly profiles: UpstreamProfile[] = [];
  readonly linked: UpstreamProfile[] = [];
  allows = true;

  findById = (id: string) => this.all.find((one) => one.id === id);

  findByCredentials = (name: string, password: string) =>
    this.all.find((one) => one.name.toLowerCase() === name && one.password === password);

  create(profile: UpstreamProfile): Account | undefined {
    this.profiles.push(profile);
    if (profile.name === 'Nobody') return undefined;
    const account = {
      id: String(this.all.length + 1),
      name: profile.name ?? 'Unnamed',
      email: profile.email,
      isVerified: true,
    };
    this.all.push(account);
    return account;
  }

  mayLink = () => this.allows;

  onLinked(_: Account, profile: UpstreamProfile): void {
    this.linked.push(profile);
  }

  hasOtherSignIn = ({ password }: Account) => password !== undefined;
}

/** Accounts with addresses, which the feature looks up. */
export class AccountsWithEmail extends Accounts {
  readonly released: string[] = [];
  findByEmail = (email: string) => this.all.find((one) => one.email === email);
  isVerified = ({ isVerified = true }: Account) => isVerified;

  releaseEmail(account: Account, email: string): void {
    this.released.push(email);
    delete account.email;
    delete account.password;
  }
}

/** The options of a site. */
export interface SiteOptions {
  platform: Platform;
  accounts?: Accounts | Type<Accounts>;
  providers?: Record<string, ProviderSetting>;
  acme?: Partial<OidcOptions>;
  pagesOptions?: PagesOptions;
  features?: OAuth2ModuleOptions['features'];
  controllers?: Type[];
  options?: Partial<OAuth2ModuleOptions>;
  issuer?: string;
  fetch?: UpstreamsOptions['fetch'];
  vault?: boolean;
  secret?: OAuth2ModuleOptions['secret'];
  application?: TestApplicationOptions;
}

export const CLIENT = { clientId: 'us', clientSecret: 'our-secret' };

/** Starts an application that signs users in with the provider Acme, which is a stand-in. */
export async function startSite({
  platform,
  accounts = new Accounts(),
  acme: more,
  providers,
  pagesOptions,
  features = [],
  controllers = [],
  options,
  issuer = ISSUER,
  application,
  vault = false,
  secret = SECRET,
  ...rest
}: SiteOptions) {
  const acme = new StandIn('https://acme.example');
  const events = new EventEmitter();
  const emitted: [string, Record<string, unknown>][] = [];
  for (const name of ['signed_in', 'linked', 'unlinked', 'refused', 'reconnect_required']) {
    events.on(`upstream.${name}`, (payload) => emitted.push([name, payload as Record<string, unknown>]));
  }
  const instance = accounts instanceof Accounts ? accounts : new accounts();
  const model = Object.assign(new MemoryStore({ users: instance }), { getClaims: () => ({}) });
  const fetch = rest.fetch ?? acme.fetch;
  const { url, app } = await startApplication(
    platform,
    {
      imports: [
        OAuth2Module.forRoot({
          model,
          issuer,
          secret,
          events,
          features: [
            pages(pagesOptions),
            upstreams({
              providers: providers ?? { acme: oidc({ issuer: acme.issuer, label: 'Acme', ...CLIENT, ...more }) },
              accounts,
              fetch,
              ...(vault && { vault }),
            }),
            ...features,
          ],
          ...options,
        }),
      ],
      controllers,
    },
    application,
  );
  const browser = () => new SiteBrowser(url);
  return { url, app, acme, model, accounts: instance, events: emitted, browser };
}

/** Starts a server whose tenants share a store and the provider Acme. The header `x-tenant` selects the tenant. */
export async function startTenants(platform: Platform) {
  const acme = new StandIn('https://acme.example');
  const accounts = new Accounts();
  const { url } = await startApplication(platform, {
    imports: [
      OAuth2Module.forRoot({
        model: new MemoryStore({ users: accounts }),
        secret: SECRET,
        tenants: {
          findTenant: ({ request }) => request.get('x-tenant'),
          createTenantOptions: (tenant) => ({ issuer: `https://${tenant}.example` }),
        },
        features: [
          pages(),
          upstreams({ providers: { acme: oidc({ issuer: acme.issuer, ...CLIENT }) }, accounts, fetch: acme.fetch }),
        ],
      }),
    ],
  });
  return { url, acme, accounts };
}

/** A browser that signs in with providers. */
export class SiteBrowser extends PageBrowser {
  /** @param prefix the path prefix of the server */
  constructor(
    url: string,
    headers?: Record<string, string>,
    private readonly prefix = '/oauth',
  ) {
    super(url, headers);
  }

  /** Presses the button of a provider on the login page. Returns the redirect to the provider. */
  async begin(provider = 'acme', query: Record<string, string> = {}): Promise<ShownPage> {
    const page = await this.get(`${this.prefix}/login?${new URLSearchParams(query).toString()}`);
    return this.press(page, `${this.prefix}/upstreams/${provider}`);
  }

  /** Sends the form of a page with this action, and with further fields if it has several. */
  async press({ html }: ShownPage, action: string, has = ''): Promise<ShownPage> {
    const forms = html.match(/<form[^]*?<\/form>/g) ?? [];
    const form = forms.find((one) => one.includes(`action="${action}"`) && one.includes(has));
    if (!form) throw new Error(`The page has no form for ${action} with ${has}: ${html}`);
    const fields = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    return this.post(action, Object.fromEntries(fields.map(([, name, value]) => [name!, plain(value!)])));
  }

  /** Signs in with the provider Acme, and returns the response of the callback. */
  async signInWith(acme: StandIn, claims: Claims, query: Record<string, string> = {}): Promise<ShownPage> {
    const { location } = await this.begin('acme', query);
    return this.get(acme.respond(location, claims));
  }

  /** Begins to connect a provider on the page of connected accounts. */
  async connect(provider = 'acme'): Promise<ShownPage> {
    return this.press(
      await this.get(`${this.prefix}/connections`),
      `${this.prefix}/connections`,
      `value="${provider}"`,
    );
  }

  /** The name of the signed-in user, as the page of applications shows it. */
  async user(): Promise<string | undefined> {
    const { html } = await this.get(`${this.prefix}/applications`);
    return /signed in as <b>(.*?)<\/b>/.exec(html)?.[1];
  }
}

const plain = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");

const shared: Account[] = [];

/** Accounts that Nest creates. All instances have the same accounts. */
export class NestAccounts extends Accounts {
  override readonly all = shared;
}
