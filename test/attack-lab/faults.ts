import { Controller, Get, UseGuards } from '@nestjs/common';
import type { AuthorizationCode, Client, RefreshToken, Token } from 'nest-oauth2';
import { OAuthGuard } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { Fault, WeakStore } from './weak-application.js';
import { acceptRefused, wrapHandlers } from './wrapped-handler.js';

const original = MemoryStore.prototype;
const FAR = new Date('2999-01-01');

/** Compares redirect URIs with a rule that is not exact. */
const redirectUris = (matches: (given: URL, registered: URL, text: string) => boolean): Fault => ({
  model: (store: WeakStore & { validateRedirectUri?: unknown }) => {
    store.validateRedirectUri = (uri: string, { redirectUris: all = [] }: Client) =>
      all.some((one) => one === uri || (URL.canParse(uri) && matches(new URL(uri), new URL(one), uri)));
  },
});

const sameRest = (one: URL, other: URL, ...parts: (keyof URL)[]) =>
  (['protocol', 'username', 'host', 'pathname', 'search', 'hash'] as const).every(
    (part) => parts.includes(part) || one[part] === other[part],
  );

/** A controller of the guarded route that misses something. */
const route = (...decorators: (ClassDecorator & MethodDecorator)[]): NonNullable<Fault['controllers']> => {
  @Controller('notes')
  class Notes {
    @Get()
    list() {
      return { notes: [] };
    }
  }
  for (const decorator of decorators) decorator(Notes);
  return [Notes];
};

/** Removes a header from all responses. */
const withoutHeader = (...names: string[]): Fault => ({
  prepare: (app) => wrapHandlers(app, ({ response }) => names.forEach((name) => response.removeHeader(name))),
});

/** Faults of applications, each with the attacks that find it and no other attack. */
export const FAULTS: readonly [name: string, fault: Fault, found: readonly string[]][] = [
  [
    'a wildcard in redirect URIs',
    redirectUris(
      (given, registered) => given.host.endsWith(`.${registered.host}`) && sameRest(given, registered, 'host'),
    ),
    ['redirect-uri-subdomain'],
  ],
  [
    'redirect URIs that are compared by their beginning',
    redirectUris((_given, registered, text) => text.startsWith(registered.href)),
    ['redirect-uri-path-suffix', 'redirect-uri-path-traversal', 'redirect-uri-encoded-traversal', 'redirect-uri-query'],
  ],
  [
    'redirect URIs that are compared without case',
    redirectUris((_given, registered, text) => text.toLowerCase() === registered.href.toLowerCase()),
    ['redirect-uri-path-case'],
  ],
  [
    'any port of a redirect URI',
    redirectUris(
      (given, registered) =>
        given.port !== '' && given.hostname === registered.hostname && sameRest(given, registered, 'host'),
    ),
    ['redirect-uri-port'],
  ],
  [
    'http instead of https',
    redirectUris((given, registered) => given.protocol === 'http:' && sameRest(given, registered, 'protocol')),
    ['redirect-uri-scheme'],
  ],
  [
    'a host that ends like the registered one',
    redirectUris((given, registered) => given.host.endsWith(`-${registered.host}`)),
    ['redirect-uri-domain-prefix'],
  ],
  [
    'a host that begins like the registered one',
    redirectUris((given, registered) => given.host.startsWith(`${registered.host}.`)),
    ['redirect-uri-domain-suffix', 'redirect-uri-native'],
  ],
  [
    'a query that is ignored',
    redirectUris((given, registered) => sameRest(given, registered, 'search')),
    ['redirect-uri-query'],
  ],
  [
    'a code that is not consumed',
    {
      model: (store) => {
        store.getAuthorizationCode = async (code) => unused(await original.getAuthorizationCode.call(store, code));
        store.redeem = async (consumed, token, client, user) =>
          'authorizationCode' in consumed
            ? await store.saveToken(token, client, user)
            : original.redeem.call(store, consumed, token, client, user);
      },
    },
    ['code-replay', 'race-code'],
  ],
  [
    'a used code that is deleted',
    {
      model: (store) => {
        store.getAuthorizationCode = async (code) => {
          const found = await original.getAuthorizationCode.call(store, code);
          return found && (found as AuthorizationCode).revokedAt ? undefined : found;
        };
      },
    },
    ['code-replay-tokens'],
  ],
  [
    'a code that never expires',
    {
      model: (store) => {
        store.saveAuthorizationCode = (code, client, user) =>
          original.saveAuthorizationCode.call(store, { ...code, expiresAt: FAR }, client, user);
      },
    },
    ['code-expired'],
  ],
  [
    'codes that are numbers',
    {
      model: (store: WeakStore & { generateAuthorizationCode?: unknown }) => {
        let count = 10_000_000;
        store.generateAuthorizationCode = () => String((count += 1));
      },
    },
    ['code-guessing'],
  ],
  [
    'tokens that are numbers',
    {
      model: (store: WeakStore & { generateRefreshToken?: unknown }) => {
        let count = 10_000_000;
        store.generateRefreshToken = () => String((count += 1));
      },
    },
    ['refresh-guessing'],
  ],
  [
    'a refresh token that is not consumed',
    {
      model: (store) => {
        store.getRefreshToken = async (token) => unused(await original.getRefreshToken.call(store, token));
        store.redeem = async (consumed, token, client, user) =>
          'refreshToken' in consumed
            ? await store.saveToken(token, client, user)
            : original.redeem.call(store, consumed, token, client, user);
      },
    },
    ['refresh-replay', 'race-refresh'],
  ],
  [
    'a used refresh token that is deleted',
    {
      model: (store) => {
        store.getRefreshToken = async (token) => {
          const found = await original.getRefreshToken.call(store, token);
          return found && (found as RefreshToken).revokedAt ? undefined : found;
        };
      },
    },
    ['refresh-family', 'refresh-family-access'],
  ],
  [
    'refresh tokens that never expire',
    { model: (store) => tokensWith(store, { refreshTokenExpiresAt: FAR }) },
    ['refresh-expired'],
  ],
  [
    'access tokens that never expire',
    { model: (store) => tokensWith(store, { accessTokenExpiresAt: FAR }) },
    ['access-expired'],
  ],
  [
    'codes without client authentication',
    {
      prepare: acceptRefused(
        '/oauth/token',
        ({ form, request }) => form.has('code') && !request.headers.authorization && !form.has('client_assertion'),
      ),
    },
    ['code-without-credentials', 'code-other-public-client'],
  ],
  [
    'refresh tokens without client authentication',
    {
      prepare: acceptRefused(
        '/oauth/token',
        ({ form, request }) =>
          form.has('refresh_token') &&
          !request.headers.authorization &&
          form.get('client_id')?.includes('-web-') === true,
      ),
    },
    ['refresh-without-credentials'],
  ],
  [
    'a `none` client with client credentials',
    {
      prepare: acceptRefused(
        '/oauth/token',
        ({ form, request }) =>
          form.get('grant_type') === 'client_credentials' &&
          form.get('client_id')?.startsWith('attack-lab-app-') === true &&
          !request.headers.authorization &&
          !form.has('client_secret'),
      ),
    },
    ['client-public-machine'],
  ],
  [
    'client secrets that are not compared',
    {
      model: (store) => {
        store.getClient = (id) => original.getClient.call(store, id, null);
      },
    },
    ['client-wrong-secret', 'client-missing-secret'],
  ],
  ['optional PKCE', { options: { requirePKCE: 'none' } }, ['pkce-missing']],
  ['the challenge method `plain`', { options: { enablePlainPKCE: true } }, ['pkce-plain', 'pkce-method-missing']],
  [
    'clients with all scopes',
    {
      model: (store) => {
        store.getClient = async (id, secret) => {
          const client = await original.getClient.call(store, id, secret);
          return client && { ...client, scopes: [...(client.scopes ?? []), 'attack-lab:admin'] };
        };
      },
    },
    ['scope-machine'],
  ],
  [
    'a consent that is remembered for all clients',
    {
      model: (store) => {
        let isGiven = false;
        store.saveConsent = async () => {
          isGiven = true;
        };
        store.hasConsented = async () => isGiven;
      },
    },
    ['consent-other-client', 'consent-wider-scope', 'consent-native-app'],
  ],
  [
    'a consent that is remembered for all scopes',
    {
      model: (store) => {
        const given = new Set<string>();
        store.saveConsent = async (_user, { client }) => {
          given.add(client.id);
        };
        store.hasConsented = async (_user, { client }) => given.has(client.id);
      },
    },
    ['consent-wider-scope', 'consent-native-app'],
  ],
  [
    'single-use values that are not stored',
    {
      model: (store) => {
        store.once = async () => true;
      },
    },
    [
      'consent-replay',
      'dpop-replay',
      'dpop-replay-at-resource',
      'assertion-replay',
      'race-consent',
      'race-assertion',
      'race-dpop-proof',
    ],
  ],
  ['a CSRF token that is missing on an own page', { hasOpenForm: true }, ['csrf-own-pages']],
  [
    'an own page that may be shown in frames',
    { headers: { 'content-security-policy': "default-src 'self'", 'x-frame-options': 'ALLOWALL' } },
    ['clickjacking-own-pages'],
  ],
  ['tokens in the URL', { options: { allowBearerTokensInQueryString: true } }, ['token-in-url']],
  ['a route without guard', { controllers: route() }, ['guard-no-token']],
  ['a route without scopes', { controllers: route(UseGuards(OAuthGuard)) }, ['guard-scope']],
  [
    'CORS for all origins with cookies',
    { prepare: (app) => app.enableCors({ origin: true, credentials: true }) },
    // The server removes these headers from its pages.
    ['cors-token', 'cors-guarded-route'],
  ],
  ['no limit of logins', { pages: { throttle: { count: () => 0 } } }, ['login-guessing']],
  [
    'a session that does not end on the server',
    {
      model: (store) => {
        store.revokeSession = async () => true;
      },
    },
    ['session-after-sign-out'],
  ],
  ['a session ID that is kept at the login', fixedSessions(), ['session-fixation']],
  [
    'a proxy host that is trusted',
    {
      prepare: (app) =>
        wrapHandlers(app, ({ request, response }) => {
          const host = request.headers['x-forwarded-host'];
          const location = response.getHeader('location');
          if (typeof host === 'string' && typeof location === 'string') {
            response.setHeader('location', location.replace(/^\//, `https://${host}/`));
          }
        }),
    },
    ['host-header'],
  ],
  [
    'pages that may be shown in frames',
    withoutHeader('x-frame-options', 'content-security-policy'),
    ['clickjacking', 'clickjacking-own-pages'],
  ],
  ['pages and tokens that may be stored', withoutHeader('cache-control'), ['page-cache', 'token-cache']],
  ['pages without a referrer policy', withoutHeader('referrer-policy'), ['referrer-leak']],
  [
    'a session cookie that scripts can read',
    {
      prepare: (app) =>
        wrapHandlers(app, ({ response }) => {
          const cookies = [response.getHeader('set-cookie') ?? []]
            .flat()
            .map((line) => String(line).replace('; HttpOnly', ''));
          if (cookies.length > 0) response.setHeader('set-cookie', cookies);
        }),
    },
    ['session-cookie'],
  ],
  [
    'redirects without `iss`',
    {
      prepare: (app) =>
        wrapHandlers(app, ({ response }) => {
          const location = response.getHeader('location');
          if (typeof location === 'string') response.setHeader('location', location.replace(/[?&]iss=[^&]*/, ''));
        }),
    },
    ['mix-up', 'mix-up-error'],
  ],
  [
    'forms that are redirected with 307',
    {
      prepare: (app) =>
        wrapHandlers(app, ({ request, response }) => {
          if (request.method === 'POST' && response.statusCode === 303) response.statusCode = 307;
        }),
    },
    ['redirect-status'],
  ],
  [
    'a login that tells which users exist',
    {
      prepare: (app) =>
        wrapHandlers(app, ({ response, path, form }) => {
          if (path === '/oauth/login' && response.statusCode === 401 && form.get('username') !== 'alice')
            response.statusCode = 404;
        }),
    },
    ['login-enumeration'],
  ],
  ['a login that redirects anywhere', redirectAfterLogin(), ['open-redirect-login']],
  [
    'a client name that is not escaped',
    {
      prepare: (app) =>
        wrapHandlers(app, ({ response, body }) =>
          response.getHeader('content-type')?.toString().includes('html')
            ? body.replaceAll('&lt;script&gt;attackLab()', '<script>attackLab()')
            : undefined,
        ),
    },
    ['xss-parameters', 'xss-client-name'],
  ],
  [
    'an access token without binding',
    {
      model: (store) => {
        store.getAccessToken = async (token) => {
          const found = await original.getAccessToken.call(store, token);
          return found && { ...found, cnf: undefined };
        };
      },
    },
    ['dpop-stolen-token'],
  ],
];

const unused = <T>(found: T): T => (found && typeof found === 'object' ? { ...found, revokedAt: undefined } : found);

function tokensWith(store: WeakStore, change: Partial<Token>): void {
  store.saveToken = (token, client, user) => original.saveToken.call(store, { ...token, ...change }, client, user);
  store.redeem = (consumed, token, client, user) =>
    original.redeem.call(store, consumed, { ...token, ...change }, client, user);
}

/** Sessions in a map whose ID is the cookie `sid`, which the browser gets before the login and keeps. */
function fixedSessions(): Fault {
  const signedIn = new Map<string, object>();
  const idOf = (cookie: string | undefined) => /sid=(\w+)/.exec(cookie ?? '')?.[1];
  return {
    pages: {
      sessions: {
        find: (request) => signedIn.get(idOf(request.get('cookie')) ?? ''),
        howSignedIn: () => ({ authTime: new Date() }),
        start: (user, request) => {
          signedIn.set(idOf(request.get('cookie')) ?? '', user);
        },
        end: (request) => {
          signedIn.delete(idOf(request.get('cookie')) ?? '');
        },
      },
    },
    prepare: (app) =>
      wrapHandlers(app, ({ request, response }) => {
        if (idOf(request.headers.cookie)) return;
        const others = [response.getHeader('set-cookie') ?? []].flat().map(String);
        response.setHeader('set-cookie', [
          ...others,
          `sid=${crypto.randomUUID().replaceAll('-', '')}; Path=/; HttpOnly; SameSite=Lax; Secure`,
        ]);
      }),
  };
}

/** Continues after the login at the `return_to` of the login page, wherever it is. */
function redirectAfterLogin(): Fault {
  let returnTo: string | null = null;
  return {
    prepare: (app) =>
      wrapHandlers(app, ({ request, response, path }) => {
        if (path !== '/oauth/login') return;
        if (request.method === 'GET') {
          returnTo = new URL(request.url ?? '', 'http://localhost').searchParams.get('return_to');
        } else if (response.statusCode === 303 && returnTo) {
          response.setHeader('location', returnTo);
        }
      }),
  };
}
