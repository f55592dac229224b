import { Logger } from '@nestjs/common';

import { SERVER_SECRETS, type Endpoint, type Feature, injects, LATE } from '../../lib/internal.js';
import type { IdentityModel, OnceModel, ServerContext, UpstreamTokenModel } from '../../lib/index.js';
import { UPSTREAM_VAULT } from '../interfaces/upstream-vault.interface.js';
import { ACCOUNT_SECTIONS } from '../pages/account/section.js';
import { HOME_REALM } from '../pages/login/home-realm.js';
import { LOGIN_METHODS, type LoginMethod } from '../pages/login/methods.js';
import { pathOf } from '../pages/local-path.js';
import { SITE, type Site, textOf } from '../pages/site.js';
import { definePage } from '../pages/toolkit/define-page.js';
import { tenantOf, USER_REALMS } from '../tenants/tenant-of.js';
import { ACCOUNT_METHODS, UPSTREAM_ACCOUNTS } from './linking/accounts.js';
import { backChannelLogout } from './logout/logout-endpoint.js';
import { MESSAGES, type MessageKey } from './messages.js';
import { beginAttempt } from './pages/begin.js';
import { finishAttempt, redirectForm } from './pages/callback.js';
import { consentPage } from './pages/consent.js';
import { connectionsSection } from './pages/connections-section.js';
import { connectionsPage } from './pages/connections.js';
import { UpstreamHomeRealm } from './pages/home-realm.js';
import { REFUSAL_PROBLEMS, type RefusalData, refusalData, renderRefusal } from './pages/refusal-page.js';
import { readResponse } from './pages/response-parameters.js';
import type { UpstreamProvider } from './providers/provider.js';
import { MAX_API_SIZE, upstreamFetch } from './providers/upstream-fetch.js';
import {
  beginEndpoint,
  callbackEndpoint,
  CONNECTIONS,
  logoutEndpoint,
  UPSTREAM_SERVER,
  UpstreamServer,
} from './upstream-server.js';
import { CONSENT } from './vault/consent-links.js';
import { providersOf, readUpstreamsOptions, type UpstreamsOptions } from './upstreams-options.js';

/**
 * Adds sign-in with other providers, such as Google, GitHub or a company's own OpenID provider, to the login page of
 * `pages()`, and a page on which users connect providers to their account. Requires the package `openid-client`.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function upstreams(options: UpstreamsOptions): Feature {
  const { providers, accounts, realm, fetch, vault: hasVault } = readUpstreamsOptions(options);
  const settings = Object.entries(providers);
  const fixed = settings.flatMap(([, one]) => (typeof one === 'function' ? [] : [one]));
  const sendersTo = (all: Iterable<UpstreamProvider>) => {
    const sender = (size?: number) => (typeof fetch === 'function' ? fetch : upstreamFetch(all, fetch, size));
    return { fetch: sender(), callApi: hasVault ? sender(MAX_API_SIZE) : undefined };
  };
  const senders = sendersTo(fixed);
  const endpoints: [string, Endpoint][] = [];
  for (const [name, provider] of settings) {
    const { label = name, endpoints: own } = provider as Partial<UpstreamProvider>;
    endpoints.push([beginEndpoint(name), beginPage(name, label)], [callbackEndpoint(name), callbackPage(name, label)]);
    // Only OpenID providers send logout tokens.
    if (!own) endpoints.push([logoutEndpoint(name), backChannelLogout(name, label)]);
  }
  const make = (server: ServerContext) => {
    const own = providersOf(options, server);
    // The customer may have entered the hosts of a tenant, so these must have public addresses.
    const isOperators = fixed.length < settings.length && tenantOf(server) === undefined;
    return new UpstreamServer(server, { providers: own, realm, ...(isOperators ? sendersTo(own.values()) : senders) });
  };
  return {
    id: 'upstreams',
    requires: [...METHODS, ...(hasVault ? VAULT_METHODS : [])],
    endpoints: {
      ...Object.fromEntries(endpoints),
      [CONNECTIONS]: connectionsPage(),
      ...(hasVault && { [CONSENT]: consentPage() }),
    },
    settings: {
      // No owner of a mailbox has this domain.
      anyEmail: namesOf(providers, (one) => one.provesEmail('unlisted.invalid', {})),
      trustAuthentication: namesOf(providers, (one) => one.trustAuthentication),
    },
    injects: [injects(UPSTREAM_ACCOUNTS, 'accounts', accounts, ACCOUNT_METHODS)],
    install(builder) {
      const site = builder.use(SITE);
      if (realm !== undefined) builder.contribute(USER_REALMS, realm);
      builder.provide(UPSTREAM_SERVER, () => make(builder.server));
      if (hasVault) builder.provide(UPSTREAM_VAULT, () => builder.server.find(UPSTREAM_SERVER)!.vault!);
      builder.provide(HOME_REALM, () => new UpstreamHomeRealm(builder.server.find(UPSTREAM_SERVER)!));
      builder.contribute(ACCOUNT_SECTIONS, connectionsSection);
      for (const [at, [name, provider]] of settings.entries()) {
        const isOffered = typeof provider === 'function' || provider.use !== 'link';
        if (isOffered) builder.contribute(LOGIN_METHODS, loginMethod(name, at, site));
      }
      return { misconfigurations: findErrors, verifyStoredState: () => warnOfEmptySettings(builder.server) };
    },
  };
}

/** Returns the names of the providers of all tenants that match. */
const namesOf = (providers: UpstreamsOptions['providers'], matches: (provider: UpstreamProvider) => boolean) =>
  Object.entries(providers).flatMap(([name, one]) => (typeof one !== 'function' && matches(one) ? [name] : []));

const METHODS = [
  'once',
  'findIdentity',
  'addIdentity',
  'removeIdentity',
  'listIdentities',
] as const satisfies readonly (keyof OnceModel | keyof IdentityModel)[];

const VAULT_METHODS = [
  'findUpstreamTokens',
  'addUpstreamTokens',
  'replaceUpstreamTokens',
  'removeUpstreamTokens',
  'listUpstreamTokens',
] as const satisfies readonly (keyof UpstreamTokenModel)[];

/** The button of a provider on the login page. */
const loginMethod = (name: string, at: number, site: () => Site): LoginMethod => ({
  // Methods are shown in the order of their IDs, and providers in the order of the option.
  id: `upstream ${String(at).padStart(4, '0')} ${name}`,
  show({ request, response, loginPath, preferences }) {
    const { renderer, server } = site();
    const provider = server.find(UPSTREAM_SERVER)!.provider(name);
    if (!provider || provider.use === 'link') return undefined;
    const { message } = renderer.contextFor(preferences, MESSAGES);
    return {
      label: message('upstreamSignIn', { provider: provider.label }),
      logo: provider.logo,
      action: pathOf(server, beginEndpoint(name), { request }),
      fields: site().fields(
        { request, response },
        {
          return_to: loginPath,
          prompt: textOf(request, 'prompt'),
          login_hint: textOf(request, 'login_hint'),
          acr_values: textOf(request, 'acr_values'),
          ui_locales: textOf(request, 'ui_locales'),
        },
      ),
    };
  },
});

/** The endpoint that begins a sign-in. Only a form of this server can begin one, so that no other site does. */
const beginPage = (name: string, label: string): Endpoint =>
  definePage<RefusalData, MessageKey, UpstreamProvider>({
    path: `oauth/upstreams/${name}`,
    summary: `Begins a sign-in with ${label}`,
    messages: MESSAGES,
    problems: REFUSAL_PROBLEMS,
    leavesSite: true,
    subject: ({ server }) => server.find(UPSTREAM_SERVER)!.require(name),
    get: (call, provider) =>
      call.problemName === undefined
        ? call.login(call.returnTo)
        : { label: provider.label, next: call.site.loginPath(call.request, call.returnTo) },
    async post(call, provider) {
      if (provider.use === 'link') return call.problem('upstreamLinkOnly');
      const begun = await beginAttempt(call, name, { returnTo: call.returnTo });
      return 'refusal' in begun
        ? refusalData(call, begun.refusal, {
            label: provider.label,
            next: call.returnTo ?? call.site.loginPath(call.request, undefined),
          })
        : begun;
    },
    render: renderRefusal,
  });

/** The redirect URI of a provider. Each provider has its own, so that a response cannot be mixed up. RFC 9700 §4.4.2 */
const callbackPage = (name: string, label: string): Endpoint =>
  definePage<RefusalData, MessageKey, UpstreamProvider>({
    path: `oauth/upstreams/${name}/callback`,
    summary: `Receives the responses of ${label}`,
    messages: MESSAGES,
    problems: REFUSAL_PROBLEMS,
    // The encrypted cookie of the attempt and `state` protect the response.
    expired: false,
    subject: ({ server }) => server.find(UPSTREAM_SERVER)!.require(name),
    get: (call) => finishAttempt(call, name, readResponse(call)),
    post: (call) => redirectForm(call),
    render: renderRefusal,
  });

/** Logs the providers whose client ID or secret is empty, such as an environment variable that is not set. */
async function warnOfEmptySettings(server: ServerContext): Promise<void> {
  const found = server.find(UPSTREAM_SERVER)!;
  for (const name of found.names) {
    const client = found.client(name);
    const option = client.clientId ? client.lacksSecret && 'clientSecret' : 'clientId';
    if (!option) continue;
    logger.warn(
      `\`${option}\` of the provider \`${name}\` is empty, so nobody can sign in there: set its variable. ${LATE}`,
    );
  }
}

const logger = new Logger('OAuth2');

function* findErrors(server: ServerContext): Iterable<string> {
  if (!server.find(SERVER_SECRETS)) {
    yield `\`upstreams()\` requires the option \`secret\`, which encrypts its cookies: set it to at least 32 random characters, the same in every process. ${LATE}`;
  }
  if (server.options.issuer === undefined) {
    yield '`upstreams()` requires the option `issuer`: the redirect URIs at the providers begin with it';
  }
  const accounts = server.find(UPSTREAM_ACCOUNTS);
  if (accounts?.findByEmail && !(accounts.isVerified && accounts.releaseEmail)) {
    yield (
      '`findByEmail()` of the `accounts` of `upstreams()` requires `isVerified()` and `releaseEmail()`: without them, ' +
      'an attacker could create an account with the address of another person'
    );
  }
}
