import { Controller, type INestApplication, type ModuleMetadata, Post, UseGuards } from '@nestjs/common';
import { OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { fapi2 } from 'nest-oauth2/fapi';
import { mutualTls, registration, resourceIndicators, serverMetadata, tokenExchange } from 'nest-oauth2/features';
import { jwtAccessTokens, keys } from 'nest-oauth2/jose';
import { mcp } from 'nest-oauth2/mcp';
import { ciba, openid } from 'nest-oauth2/openid';
import { pages } from 'nest-oauth2/pages';
import type { AttackLabOptions, LabBrowser, LabResponse } from 'nest-oauth2/testing';
import { DemoInteraction, demoStore, SECRET } from '../support/servers/demo.js';
import { EC } from '../support/servers/openid-server.js';
import { productApplication } from './product-application.js';
import { ISSUER, NotesController, SIGN_IN, WeakStore } from './weak-application.js';

@Controller('mcp')
@UseGuards(OAuthGuard)
class McpController {
  @Post()
  @Scopes('notes:read')
  serve() {
    return {};
  }
}

const scopes = ['notes:read', 'notes:write'];
const base = { secret: SECRET, issuer: ISSUER };
const guarded: AttackLabOptions = { signIn: SIGN_IN, guarded: '/notes', scopes };

const server = (options: object, controllers: ModuleMetadata['controllers'] = [NotesController]): ModuleMetadata => ({
  imports: [OAuth2Module.forRoot({ ...base, model: new WeakStore(), ...options })],
  controllers,
});

/** The consent page of `DemoInteraction` is JSON. */
const consent = (page: LabResponse, browser: LabBrowser) => {
  const { action, csrf_token: csrfToken } = page.json as Record<string, string>;
  return browser.open(action!, { form: { csrf_token: csrfToken!, decision: 'allow' } });
};
const demo: AttackLabOptions = {
  signIn: (browser) => browser.setCookie('user', 'alice'),
  consent,
  guarded: '/notes',
  scopes,
  // `DemoInteraction` stores the consent to each client.
  skip: { 'consent-native-app': 'this application has no native apps' },
};

/** A tenant is the first part of the host. Both tenants have the same model. */
export function tenants(hasIssuers = true): ModuleMetadata {
  const model = new WeakStore();
  return {
    imports: [
      OAuth2Module.forRoot({
        model,
        secret: SECRET,
        features: [pages(), serverMetadata({ scopes })],
        tenants: {
          useValue: {
            findTenant: ({ host }: { host?: string }) => host?.split('.')[0],
            createTenantOptions: (tenant: string) => ({
              issuer: `https://${tenant}.example.com`,
              ...(!hasIssuers && { model: withoutIssuers(model) }),
            }),
          },
        },
      }),
    ],
    controllers: [NotesController],
  };
}

/** A model that forgets to which tenant clients, codes and tokens belong. */
function withoutIssuers(model: WeakStore): WeakStore {
  const anyIssuer = (value: unknown): unknown =>
    value && typeof value === 'object' && !(value instanceof Date) && 'issuer' in value
      ? { ...value, issuer: undefined }
      : value;
  return new Proxy(model, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as (...args: unknown[]) => unknown;
      if (!/^get(?:Client|AuthorizationCode|AccessToken|RefreshToken)$/.test(String(name))) return call;
      return async (...args: unknown[]) => anyIssuer(await call(...args));
    },
  });
}

/** A correct application and the options of the lab for it. */
export interface Variant {
  module: () => ModuleMetadata;
  options: AttackLabOptions;
  prefix?: string;
  /** Changes the application before it listens. */
  prepare?: (app: INestApplication) => void;
}

export const VARIANTS: Readonly<Record<string, Variant>> = {
  'a server without public clients, PKCE for all': {
    module: () => server({ requirePKCE: 'all', features: [pages()] }),
    options: guarded,
  },
  'a server with its own login and consent, and no pages': {
    module: () => ({
      imports: [OAuth2Module.forRoot({ model: demoStore(), interaction: DemoInteraction, secret: SECRET })],
      controllers: [NotesController],
    }),
    options: demo,
  },
  'a server without consent': {
    module: () => {
      const model = Object.assign(new WeakStore(), { hasConsented: async () => true });
      return server({ model, features: [pages()] });
    },
    options: guarded,
  },
  'a server for programs only': {
    module: () => server({ interaction: null }),
    options: { signIn: false, scopes },
  },
  'a server with a global prefix and other paths': {
    module: () => server({ features: [pages(), serverMetadata({ scopes })], paths: { prefix: 'auth' } }),
    options: { ...guarded, guarded: '/api/notes' },
    prefix: 'api',
  },
  'a server with JWT access tokens': {
    module: () => server({ features: [pages(), keys({ from: [EC] }), jwtAccessTokens({ audience: ISSUER })] }),
    options: guarded,
  },
  'a server with closed registration': {
    module: () => server({ features: [pages(), registration({ initialAccessScope: 'register', scopes })] }),
    options: guarded,
  },
  'an MCP server': {
    module: () => server({ features: [pages(), mcp({ scopes })] }, [McpController]),
    options: { signIn: SIGN_IN, guarded: { path: '/mcp', method: 'POST' }, scopes },
  },
  'a FAPI 2.0 server': {
    module: () => server({ features: [pages(), ...fapi2({ scopes })] }),
    options: guarded,
  },
  'a FAPI 2.0 server with message signing': {
    module: () => server({ features: [pages(), keys({ from: [EC] }), ...fapi2({ scopes, messageSigning: true })] }),
    options: guarded,
  },
  'a server with token exchange, certificates and CIBA': {
    module: () => {
      const requested = { findHintedUser: () => ({ id: 'alice' }), askUser: () => undefined };
      const model = Object.assign(new WeakStore(), requested);
      const more = [tokenExchange(), resourceIndicators({ own: [`${ISSUER}/notes`] }), mutualTls(), ciba()];
      return server({
        model,
        features: [pages(), keys({ from: [EC] }), openid({ alg: 'ES256' }), serverMetadata({ scopes }), ...more],
      });
    },
    options: guarded,
  },
  'an application with accounts, organizations and another provider': productApplication(),
  'a route that changes data and accepts login sessions': productApplication({
    options: { guarded: { path: '/notes', method: 'POST' } },
  }),
  'a server with tenants': { module: () => tenants(), options: { ...guarded, tenant: 'one', otherTenant: 'two' } },
};
