import { clientIdDocuments } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { AttackLabOptions } from 'nest-oauth2/testing';
import type { Fault, WeakStore } from './weak-application.js';
import {
  acceptRefused,
  type Exchange,
  fetchRegisteredUrls,
  hasToken,
  redirectAnywhere,
  wrapHandlers,
} from './wrapped-handler.js';

const original = MemoryStore.prototype;
const TOKEN = '/oauth/token';
const AUTHORIZE = '/oauth/authorize';
const fetch = { allowLoopback: true };

const wrapped = (change: (exchange: Exchange) => string | void): Fault => ({
  prepare: (app) => wrapHandlers(app, change),
});

/** Sends the browser to a client with a code instead of the response for which `isMissed` returns true. */
const issuesCode = (isMissed: (exchange: Exchange, query: URLSearchParams) => boolean): Fault =>
  wrapped((exchange) => {
    const { request, response, path } = exchange;
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    if (path !== AUTHORIZE || !isMissed(exchange, query)) return undefined;
    response.statusCode = 302;
    response.setHeader('location', `${query.get('redirect_uri') ?? 'https://web.attack-lab.example/callback'}?code=1`);
    return '';
  });

/** Changes a member of the JSON responses at a path. */
const changesJson = (at: string, change: (json: Record<string, unknown>, exchange: Exchange) => void): Fault =>
  wrapped((exchange) => {
    if (exchange.path !== at || !exchange.body.startsWith('{')) return undefined;
    const json = JSON.parse(exchange.body) as Record<string, unknown>;
    change(json, exchange);
    return JSON.stringify(json);
  });

const status = (at: string, from: number, to: number): Fault =>
  wrapped(({ path, response }) => {
    if (path === at && response.statusCode === from) response.statusCode = to;
  });

const store: { current?: WeakStore } = {};
const remembers: Pick<Fault, 'model'> = { model: (model) => (store.current = model) };

/** The restore of a backup makes used refresh tokens valid again. */
function backups(): [Fault, Partial<AttackLabOptions>] {
  let isRestored = false;
  const fault: Fault = {
    model: (model) => {
      model.getRefreshToken = async (token) => {
        const found = await original.getRefreshToken.call(model, token);
        return found && isRestored ? { ...found, revokedAt: undefined } : found;
      };
      model.redeem = async (consumed, token, client, user) =>
        isRestored
          ? await model.saveToken(token, client, user)
          : original.redeem.call(model, consumed, token, client, user);
      model.revokeGrant = async () => undefined as never;
    },
  };
  return [fault, { snapshot: { take: () => undefined, restore: () => (isRestored = true) } }];
}

const tamper = (claims: object) => (json: Record<string, unknown>) => {
  if (typeof json['id_token'] !== 'string') return;
  const [header, body, signature] = json['id_token'].split('.');
  const changed = { ...(JSON.parse(Buffer.from(body!, 'base64url').toString()) as object), ...claims };
  json['id_token'] = [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
};

/**
 * Servers that cannot be made by an option or a model of this library: a wrapper around all handlers emulates them, or
 * an option that is meant for development. Each with the attacks that succeed there.
 */
export const EMULATED: readonly [
  name: string,
  fault: Fault,
  attacks: readonly string[],
  options?: Partial<AttackLabOptions>,
][] = [
  [
    'a proxy that lets all origins read pages',
    wrapped(({ path, response }) => {
      if (path === AUTHORIZE) response.setHeader('access-control-allow-origin', '*');
    }),
    ['cors-pages'],
  ],
  [
    'a token endpoint that accepts what it must refuse',
    { prepare: acceptRefused(TOKEN) },
    [
      'code-other-client',
      'code-other-public-client',
      'code-other-redirect-uri',
      'pkce-code-injection',
      'pkce-no-verifier',
      'pkce-challenge-as-verifier',
      'pkce-downgrade',
      'client-two-methods',
      'client-id-mismatch',
      'client-secret-in-url',
      'token-by-get',
      'client-id-variants',
      'client-method-downgrade',
      'client-grant-escalation',
      'resource-unknown',
      'resource-refresh',
      'refresh-other-client',
      'refresh-revoked',
      'dpop-method',
      'dpop-url',
      'dpop-old',
      'dpop-future',
      'dpop-type',
      'dpop-private-key',
      'dpop-other-key',
      'dpop-unsigned',
      'dpop-hmac',
      'dpop-refresh-other-key',
      'assertion-audience',
      'assertion-expired',
      'assertion-without-expiry',
      'assertion-other-key',
      'assertion-issuer',
      'assertion-unsigned',
      'assertion-hmac',
      'assertion-embedded-key',
      'device-without-consent',
      'device-other-client',
      'device-replay',
      'device-expired',
      'race-device-code',
      'csrf-device',
      'flood-large-form',
      'flood-many-parameters',
      'flood-nested-form',
      'flood-secrets',
    ],
  ],
  [
    'a guarded route that accepts every token',
    { prepare: acceptRefused('/notes', hasToken) },
    [
      'code-as-access-token',
      'refresh-as-access-token',
      'access-revoked',
      'refresh-family-access',
      'jwt-unsigned',
      'jwt-hmac',
      'jwt-embedded-key',
      'jwt-key-url',
      'jwt-key-id',
      'jwt-id-token',
      'dpop-stolen-token-other-key',
      'dpop-other-token',
    ],
  ],
  [
    'an authorization endpoint that redirects to every URI',
    { prepare: redirectAnywhere(() => true) },
    [
      'redirect-uri-other-host',
      'redirect-uri-userinfo',
      'redirect-uri-backslash',
      'redirect-uri-fragment',
      'redirect-uri-script',
      'redirect-uri-whitespace',
      'redirect-uri-repeated',
      'redirect-uri-native',
      'open-redirect-unknown-client',
    ],
  ],
  [
    'an authorization endpoint that accepts invalid request objects and pushed requests',
    issuesCode(({ response }) => response.statusCode === 400),
    [
      'request-object-unsigned',
      'request-object-other-key',
      'request-object-audience',
      'request-object-expired',
      'request-object-other-client',
      'request-object-redirect-uri',
      'pushed-request-other-client',
      'pushed-request-replay',
      'pushed-request-expired',
      'code-disabled-grant',
    ],
  ],
  [
    'parameters in the URL that replace those of a pushed request',
    issuesCode((_, query) => query.has('request_uri') && query.has('redirect_uri')),
    ['pushed-request-changed'],
  ],
  [
    'consent forms without CSRF protection',
    issuesCode(({ form, response }) => form.get('decision') === 'allow' && response.statusCode !== 303),
    ['csrf-consent', 'csrf-consent-other-request'],
  ],
  ['decisions by GET', issuesCode((_, query) => query.get('decision') === 'allow'), ['consent-by-link']],
  [
    'a server that ignores `prompt`',
    issuesCode((_, query) => /none|login/.test(query.get('prompt') ?? '')),
    ['prompt-none', 'login-forced'],
  ],
  [
    'a server with the implicit grant',
    wrapped(({ request, response }) => {
      if (!request.url?.includes('response_type=token')) return;
      const location = response.getHeader('location');
      response.setHeader('location', String(location).replace(/[?#].*/, '#access_token=x'));
    }),
    ['implicit-grant'],
  ],
  [
    'a server that loses `state`',
    wrapped(({ response }) => {
      const location = response.getHeader('location');
      if (typeof location === 'string') response.setHeader('location', location.replace(/state=[^&]*/, 'state=x'));
    }),
    ['state-lost'],
  ],
  ['a login form without CSRF protection', status('/oauth/login', 403, 200), ['csrf-login']],
  [
    'a page of applications without CSRF protection',
    {
      ...remembers,
      prepare: (app) =>
        wrapHandlers(app, ({ request, path, form }) => {
          if (path !== '/oauth/applications' || request.method !== 'POST') return;
          void store.current!.revokeGrantsOf({ clientId: form.get('client_id')! });
        }),
    },
    ['csrf-applications'],
  ],
  [
    'a logout page that redirects anywhere',
    wrapped(({ request, response, path }) => {
      const to = new URL(request.url ?? '', 'http://localhost').searchParams.get('post_logout_redirect_uri');
      if (path !== '/oauth/logout' || !to) return undefined;
      response.statusCode = 303;
      response.setHeader('location', to);
      return '';
    }),
    ['open-redirect-logout', 'logout-other-client'],
  ],
  [
    'a logout page that accepts forged hints',
    wrapped(({ request, response }) => {
      if (request.url?.includes('id_token_hint')) response.setHeader('set-cookie', '__Host-oauth2-session=; Max-Age=0');
    }),
    ['id-token-hint-unsigned'],
  ],
  [
    'a logout page that signs out by a link',
    wrapped(({ request, response, path }) => {
      if (path === '/oauth/logout' && request.method === 'GET')
        response.setHeader('set-cookie', '__Host-oauth2-session=; Max-Age=0');
    }),
    ['logout-by-link'],
  ],
  [
    'an introspection endpoint that accepts every client',
    changesJson('/oauth/introspect', (json, { response }) => {
      response.statusCode = 200;
      json['active'] = true;
    }),
    ['introspection-unauthenticated', 'introspection-public'],
  ],
  [
    'a revocation endpoint that accepts tokens of other clients',
    {
      ...remembers,
      prepare: (app) =>
        wrapHandlers(app, ({ path, form }) => {
          if (path !== '/oauth/revoke') return;
          void original.getRefreshToken
            .call(store.current!, form.get('token')!)
            .then((token) => token && store.current!.revokeGrant(token.grantId!));
        }),
    },
    ['revocation-other-client'],
  ],
  [
    'a server that grants scopes that were not requested',
    {
      prepare: (app) => {
        app.use((request: { url: string }, _: unknown, next: () => void) => {
          request.url = request.url.replace('+attack-lab%3Aadmin', '');
          next();
        });
        changesJson(TOKEN, (json, { response }) => {
          response.statusCode = 200;
          json['access_token'] ??= 'x';
          json['scope'] = 'notes:read notes:write attack-lab:admin';
        }).prepare!(app);
      },
    },
    ['scope-unregistered', 'scope-refresh'],
  ],
  [
    'a form that adds scopes',
    changesJson(TOKEN, (json) => {
      json['scope'] = `${String(json['scope'])} attack-lab:admin`;
    }),
    ['scope-consent-form'],
  ],
  ['ID tokens for other clients', changesJson(TOKEN, tamper({ aud: 'other' })), ['id-token-audience']],
  ['ID tokens without `nonce`', changesJson(TOKEN, tamper({ nonce: undefined })), ['id-token-nonce']],
  [
    'an endpoint for pushed requests without client authentication',
    { prepare: acceptRefused('/oauth/par') },
    ['pushed-request-nested'],
  ],
  [
    'an endpoint for pushed requests that stores every request',
    status('/oauth/par', 401, 201),
    ['flood-pushed-requests'],
  ],
  ['a page for devices without a limit', status('/oauth/device', 429, 400), ['flood-user-codes']],
  [
    'a page for devices that needs no confirmation',
    wrapped(({ path }) => (path === '/oauth/device' ? 'Connected.' : undefined)),
    ['device-link'],
  ],
  [
    'short device codes',
    changesJson('/oauth/device_authorization', (json) => {
      json['device_code'] = '1234';
    }),
    ['device-code-guessing'],
  ],
  [
    'a pushed request that is not consumed',
    {
      model: (model) => {
        model.revokePushedRequest = async () => true;
      },
    },
    ['race-pushed-request'],
  ],
  [
    'registration that accepts every redirect URI and client',
    { prepare: acceptRefused('/oauth/register') },
    ['registration-script', 'registration-other-client'],
  ],
  [
    'registration that grants every scope',
    changesJson('/oauth/register', (json, { response }) => {
      response.statusCode = 201;
      json['scope'] = 'attack-lab:admin';
      json['grant_types'] = ['password'];
    }),
    ['registration-scope', 'registration-grants'],
  ],
  [
    'registration that replaces clients',
    changesJson('/oauth/register', (json, { form }) => {
      // The body is JSON, which the form contains as its only name.
      const sent = JSON.parse([...form.keys()].join('') || '{}') as { client_id?: string };
      if (sent.client_id) json['client_id'] = sent.client_id;
    }),
    ['registration-overwrite'],
  ],
  ['URLs of registrations from the own network', { prepare: fetchRegisteredUrls }, ['ssrf-registration']],
  ['keys of clients from the own network', { features: { privateKeyJwt: { fetch } } }, ['ssrf-jwks-uri']],
  ['request objects from the own network', { features: { requestObjects: { fetch } } }, ['ssrf-request-uri']],
  ['client metadata from the own network', { features: { more: [clientIdDocuments({ fetch })] } }, ['ssrf-client-id']],
  ['logos from the own network', { pages: { clientLogos: fetch } }, ['ssrf-logo']],
  ['a restored backup', ...(([fault, options]) => [fault, ['snapshot-restore'], options] as const)(backups())],
];
