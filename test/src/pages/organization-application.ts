import { Controller, Get, UseGuards } from '@nestjs/common';
import { decodeJwt } from 'jose';
import { AccessToken, OAuth2Module, OAuthGuard, type OAuth2ModuleOptions, Scopes } from 'nest-oauth2';
import type { Feature } from 'nest-oauth2/features';
import { introspection, pushedRequests, tokenExchange } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { type Organization, type Organizations, pages, type PagesOptions } from 'nest-oauth2/pages';
import type { Users } from 'nest-oauth2/stores';
import { MemoryStore, type StoredClient } from 'nest-oauth2/stores/memory';

import type { AnyStore } from '../../stores/every-store.js';
import { bearer } from '../../support/clients/http.js';
import { SECRET } from '../../support/servers/demo.js';
import { EC, RSA } from '../../support/servers/openid-server.js';
import { type Platform, startApplication } from '../../support/servers/test-application.js';
import { PageBrowser, type ShownPage } from './page-browser.js';

export const CALLBACK = 'https://app.example/callback';
export const ISSUER = 'https://id.example';
export const ACME: Organization = { id: 'acme', name: 'Acme & Sons' };
export const GLOBEX: Organization = { id: 'globex', name: 'Globex' };

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
export const client = (id: string, more: Partial<StoredClient> = {}): StoredClient => ({
  id,
  name: `The ${id}`,
  secret: `secret-of-the-client-${id}`,
  grants: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE, DEVICE, 'urn:openid:params:grant-type:ciba'],
  redirectUris: [CALLBACK],
  scopes: ['openid', 'notes:read'],
  ...more,
});

/** The organizations of each user, which tests change. */
export class Memberships implements Organizations {
  readonly byUser = new Map<string, readonly Organization[]>([['alice', [ACME, GLOBEX]]]);
  readonly lists: unknown[] = [];

  list(user: { id?: string }, context: { client: { id: string }; issuer: string | undefined }) {
    this.lists.push([user.id, context.client.id, context.issuer]);
    return this.byUser.get(user.id!) ?? [];
  }
}

/** A guarded route that returns the organization of the token. */
@Controller('notes')
@UseGuards(OAuthGuard)
export class NotesController {
  @Get()
  @Scopes('notes:read')
  list(@AccessToken() token: Record<string, unknown>) {
    return { organization: token['org_id'] ?? null };
  }
}

/** The body of a token response or of an error response. */
export interface TokenBody {
  access_token: string;
  refresh_token: string;
  id_token?: string;
  error?: string;
  error_description?: string;
}

/** A store whose users have no claims of their own. */
export class Store extends MemoryStore {
  getClaims() {
    return { org_id: 'of the application' };
  }
}

export const USERS: Users = {
  findById: (id) => ({ id }),
  findByCredentials: (name, password) => password === 'wonderland' && { id: name },
};

interface Setup {
  platform: Platform;
  features?: readonly Feature[];
  options?: PagesOptions;
  module?: Partial<OAuth2ModuleOptions>;
  model?: AnyStore;
  memberships?: Memberships;
}

/** An application whose users choose an organization, with the clients `web`, `other` and `own`. */
export class OrganizationApplication {
  private constructor(
    readonly url: string,
    readonly memberships: Memberships,
    readonly store: AnyStore,
  ) {}

  static async start({ platform, features = [], options = {}, module = {}, ...more }: Setup) {
    const { memberships = new Memberships(), model } = more;
    const store =
      model ??
      new Store({
        clients: [client('web'), client('other'), client('own', { consent: 'never' })],
        users: USERS,
      });
    const all = [
      pages({ organizations: memberships, ...options }),
      keys({ from: [EC, RSA] }),
      openid(),
      introspection(),
      pushedRequests(),
      tokenExchange(),
      ...features,
    ];
    const forRoot = OAuth2Module.forRoot({ model: store, issuer: ISSUER, secret: SECRET, features: all, ...module });
    const { url } = await startApplication(platform, { imports: [forRoot], controllers: [NotesController] });
    return new OrganizationApplication(url, memberships, store);
  }

  /** Returns a browser in which a user is signed in. */
  async signIn(user = 'alice', prefix = ''): Promise<PageBrowser> {
    const browser = new PageBrowser(this.url);
    await browser.signIn(`${prefix}/oauth/login`, user);
    return browser;
  }

  /** Sends a request with the credentials of a client. */
  async post(endpoint: string, parameters: Record<string, string>, clientId = 'web'): Promise<TokenBody> {
    const headers = { authorization: `Basic ${btoa(`${clientId}:secret-of-the-client-${clientId}`)}` };
    const body = new URLSearchParams(parameters);
    return (await (await fetch(`${this.url}${endpoint}`, { method: 'POST', headers, body })).json()) as TokenBody;
  }

  async redeem(page: ShownPage, clientId = 'web'): Promise<TokenBody> {
    const code = new URL(page.location!).searchParams.get('code')!;
    return this.post('/oauth/token', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }, clientId);
  }

  async refresh(refreshToken: string, more: Record<string, string> = {}): Promise<TokenBody> {
    return this.post('/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...more });
  }

  /** Returns what each reader of an access token sees as its organization. */
  async organizationsOf({ access_token: token, id_token: idToken }: TokenBody) {
    const get = async (path: string) =>
      (await (await fetch(`${this.url}${path}`, { headers: bearer(token) })).json()) as Record<string, unknown>;
    const introspected = (await this.post('/oauth/introspect', { token })) as unknown as Record<string, unknown>;
    return {
      idToken: idToken && decodeJwt(idToken)['org_id'],
      introspection: introspected['org_id'],
      userinfo: (await get('/oauth/userinfo'))['org_id'],
      guard: (await get('/notes'))['organization'],
    };
  }

  exchange(token: string, more: Record<string, string> = {}): Promise<TokenBody> {
    const type = 'urn:ietf:params:oauth:token-type:access_token';
    return this.post('/oauth/token', {
      grant_type: TOKEN_EXCHANGE,
      subject_token: token,
      subject_token_type: type,
      ...more,
    });
  }
}

/** The path of an authorization request. */
export const authorize = (more: Record<string, string> = {}, prefix = ''): string =>
  `${prefix}/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: 'web', scope: 'openid notes:read', state: 'xyz', redirect_uri: CALLBACK, ...more }).toString()}`;

/** The parameters of the redirect to the client. */
export const redirected = ({ location }: ShownPage): Record<string, string> =>
  location?.startsWith(CALLBACK) === true ? Object.fromEntries(new URL(location).searchParams) : {};

export const CHOICE = 'Choose an organization';
export const CONSENT = 'Allow access?';
