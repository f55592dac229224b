import type { IncomingMessage, ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { WebSocketGateway } from '@nestjs/websockets';
import { OAuth2Server } from 'nest-oauth2';
import { capability } from 'nest-oauth2/features';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { ALICE, BOB, type ProductFault } from './product-application.js';
import { ISSUER } from './weak-application.js';
import { acceptRefused, type Exchange, wrapHandlers } from './wrapped-handler.js';

const original = MemoryStore.prototype;
const FAR = new Date('2999-01-01');

const wrapped = (change: (exchange: Exchange) => string | void): ProductFault => ({
  prepare: (app) => wrapHandlers(app, change),
});

const status = (at: string, from: number, to: number): ProductFault =>
  wrapped(({ path, response }) => {
    if (path === at && response.statusCode === from) response.statusCode = to;
  });

const hasSession = ({ request }: Exchange) => request.headers.cookie !== undefined && !request.headers.authorization;
const hasPersonalToken = ({ request }: Exchange) => request.headers.authorization?.startsWith('Bearer pat_') === true;

/** Sends a body with status 200 instead of the response for which `isMissed` returns true. */
const shows = (isMissed: (exchange: Exchange) => boolean, body = 'Signed in'): ProductFault =>
  wrapped((exchange) => {
    if (!isMissed(exchange)) return undefined;
    exchange.response.statusCode = 200;
    return body;
  });

/** Creates a personal access token for each form of which `isMissed` returns true. */
const createsToken = (isMissed: (exchange: Exchange) => boolean): ProductFault => ({
  prepare: (app, { model }) =>
    wrapHandlers(app, (exchange) => {
      const { path, form } = exchange;
      if (path !== '/oauth/account' || form.get('form') !== 'create' || !isMissed(exchange)) return;
      const token = { token: `pat_${Math.random()}`, name: form.get('token_name')!, scope: 'notes:read' };
      void original.savePersonalToken.call(model, { ...token, expiresAt: FAR, issuer: ISSUER }, ALICE);
    }),
});

/** Changes each request before the application reads it. */
const proxied =
  (change: (request: IncomingMessage, response: ServerResponse) => void) =>
  (app: INestApplication): void => {
    app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
      change(request, response);
      next();
    });
  };

/** Adds the cookie of the last sign-in with a provider to each callback. */
function sharedCookies(): ProductFault {
  let shared = '';
  return {
    prepare: proxied((request, response) => {
      const set = response.setHeader.bind(response);
      response.setHeader = (name, value) => {
        const cookie = [value].flat().find((line) => /oauth2-upstream[^=]*=[^;]/.test(String(line)));
        if (name.toLowerCase() === 'set-cookie' && cookie) shared = String(cookie).split(';')[0]!;
        return set(name, value);
      };
      if (request.url?.includes('/callback')) request.headers.cookie = `${request.headers.cookie ?? ''}; ${shared}`;
    }),
  };
}

/** Stores the requested organization of each token request, whoever the user is. */
function requestedOrganization(): ProductFault {
  let requested: string | null = null;
  return {
    change: ({ model }) => {
      model.getAccessToken = async (token) => {
        const found = await original.getAccessToken.call(model, token);
        return found && requested !== null ? { ...found, org_id: requested } : found;
      };
    },
    prepare: (app) =>
      wrapHandlers(app, ({ path, form }) => {
        if (path === '/oauth/token') requested = form.get('organization');
      }),
  };
}

@WebSocketGateway({ path: '/socket' })
class OpenGateway {
  handleConnection(client: { send(text: string): void }) {
    client.send('{"event":"welcome"}');
  }
}

/**
 * Faults of the application of `productApplication()`, each with the attacks that find it and no other attack. Some are
 * emulated by a wrapper around all handlers, because no option or model of this library causes them.
 */
export const PRODUCT_FAULTS: readonly (readonly [name: string, fault: ProductFault, found: readonly string[]])[] = [
  [
    'organizations of other users',
    {
      change: ({ members }) => {
        const { list } = members;
        members.list = (user) => [...list(user), { id: 'initech', name: 'Initech' }];
      },
    },
    ['organization-other', 'organization-choice'],
  ],
  ['an organization that a refresh changes', requestedOrganization(), ['organization-refresh']],
  [
    'a membership that is not verified at a refresh',
    { change: ({ members }) => Object.assign(members, { isMember: () => true }) },
    ['organization-left'],
  ],
  [
    'pages that accept personal access tokens',
    shows((one) => /account|applications|connections/.test(one.path) && hasPersonalToken(one)),
    ['personal-token-pages'],
  ],
  [
    'a token endpoint that accepts personal access tokens',
    { prepare: acceptRefused('/oauth/token', ({ form }) => [...form.values()].some((one) => one.startsWith('pat_'))) },
    ['personal-token-grant'],
  ],
  [
    'registration that accepts personal access tokens',
    shows((one) => one.path === '/oauth/register' && hasPersonalToken(one), '{}'),
    ['personal-token-registration'],
  ],
  ['personal access tokens that create others', createsToken(hasPersonalToken), ['personal-token-creates-token']],
  [
    'personal access tokens that are created without a CSRF token',
    createsToken((one) => hasSession(one) && one.response.statusCode === 403),
    ['csrf-personal-token'],
  ],
  [
    'a route that ignores the scope of personal access tokens',
    { prepare: acceptRefused('/notes', (one) => hasPersonalToken(one) && one.response.statusCode === 403) },
    ['personal-token-scope'],
  ],
  [
    'personal access tokens with all scopes',
    {
      change: ({ model }) => {
        model.savePersonalToken = (token, user) =>
          original.savePersonalToken.call(model, { ...token, scope: `${token.scope} attack-lab:admin` }, user);
      },
    },
    ['personal-token-user-scope'],
  ],
  [
    'a personal access token that is not deleted',
    { change: ({ model }) => Object.assign(model, { revokePersonalToken: async () => true }) },
    ['personal-token-revoked'],
  ],
  [
    'a personal access token that never expires',
    {
      change: ({ model }) => {
        model.findPersonalToken = async (token) => {
          const found = await original.findPersonalToken.call(model, token);
          return found && { ...found, expiresAt: FAR };
        };
      },
    },
    ['personal-token-expired'],
  ],
  [
    'a guard that accepts sessions from every site',
    { prepare: acceptRefused('/notes', (one) => hasSession(one) && 'sec-fetch-site' in one.request.headers) },
    ['session-cross-site'],
  ],
  [
    'a guard that accepts sessions from every origin',
    { prepare: acceptRefused('/notes', (one) => hasSession(one) && !('sec-fetch-site' in one.request.headers)) },
    ['session-cross-origin'],
  ],
  [
    'a guard that accepts forms with a session',
    {
      prepare: acceptRefused('/notes', (one) => hasSession(one) && !('x-requested-with' in one.request.headers)),
      options: { guarded: { path: '/notes', method: 'POST' } },
    },
    ['session-form'],
  ],
  ['a gateway without a guard', { gateway: OpenGateway }, ['session-websocket']],
  ['a proxy that shares cookies', sharedCookies(), ['upstream-other-browser']],
  [
    'single-use values that are not stored',
    {
      change: ({ model, provider }) => {
        model.once = async () => true;
        // Otherwise, the provider rejects the used code.
        (Reflect.get(provider, 'codes') as Map<string, object>).delete = () => true;
      },
    },
    ['consent-replay', 'upstream-replay', 'elicitation-twice', 'race-consent'],
  ],
  [
    'a proxy that removes `iss`',
    { prepare: proxied((request) => (request.url = request.url?.replace(/[?&]iss=[^&]*/, ''))) },
    ['upstream-mix-up'],
  ],
  [
    'an unverified e-mail address that is linked',
    {
      change: ({ users }) => {
        const { create } = users;
        users.create = (profile) => {
          const { email, unverifiedEmail } = profile as { email?: string; unverifiedEmail?: string };
          return users.findByEmail(email ?? unverifiedEmail ?? '') ?? create.call(users, profile);
        };
      },
    },
    ['upstream-email'],
  ],
  [
    'logout tokens that are not verified',
    status('/oauth/upstreams/acme/backchannel_logout', 400, 200),
    ['upstream-logout-replay', 'upstream-logout-forged'],
  ],
  [
    'links with the host of the request',
    {
      prepare: (app) => {
        const { context } = app.get<OAuth2Server>(OAuth2Server);
        type Accounts = { urlOf(endpoint: string, token?: string): string };
        const accounts = context.find(capability<Accounts>('accounts', 'accounts'))!;
        const urlOf = accounts.urlOf.bind(accounts);
        accounts.urlOf = (endpoint, token) => urlOf(endpoint, token).replace(ISSUER, 'https://evil.attack-lab.example');
      },
    },
    ['reset-host'],
  ],
  [
    'a link that changes the password of another account',
    wrapped(({ path, form, response }) => {
      if (path !== '/oauth/login' || form.get('username') !== ALICE.email) return;
      if (form.get('password') === BOB.password) response.statusCode = 303;
    }),
    ['reset-other-account'],
  ],
  ['a link that works twice', status('/oauth/new_password', 410, 200), ['reset-twice']],
  [
    'a second factor that is not asked for',
    { change: ({ codes }) => (codes.isEnrolled = () => false) },
    ['second-factor-skipped'],
  ],
  [
    'a page of a tool for every user',
    shows(
      ({ path, form, response }) =>
        path === '/oauth/elicitation' && (response.statusCode === 403 || form.get('elicitation') === 'x'),
      '<form method="post"><input name="elicitation" value="x"></form>',
    ),
    ['elicitation-other-user'],
  ],
];
