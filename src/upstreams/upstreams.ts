import { SERVER_SECRETS } from '../../lib/adapter/index.js';
import { type Endpoint, type Feature, injects, type ServerContext } from '../../lib/index.js';
import { ACCOUNT_SECTIONS } from '../pages/account/section.js';
import { LOGIN_METHODS, type LoginMethod } from '../pages/login/methods.js';
import { pathOf } from '../pages/local-path.js';
import { SITE, type Site, textOf } from '../pages/site.js';
import { definePage } from '../pages/toolkit/define-page.js';
import { ACCOUNT_METHODS, UPSTREAM_ACCOUNTS } from './linking/accounts.js';
import { MESSAGES, type MessageKey } from './messages.js';
import { beginAttempt } from './pages/begin.js';
import { finishAttempt, redirectForm } from './pages/callback.js';
import { connectionsSection } from './pages/connections-section.js';
import { connectionsPage } from './pages/connections.js';
import { REFUSAL_PROBLEMS, type RefusalData, refusalData, renderRefusal } from './pages/refusal-page.js';
import { readResponse } from './pages/response-parameters.js';
import type { UpstreamProvider } from './providers/provider.js';
import { upstreamFetch } from './providers/upstream-fetch.js';
import { beginEndpoint, callbackEndpoint, CONNECTIONS, UPSTREAM_SERVER, UpstreamServer } from './upstream-server.js';
import { type UpstreamsOptions, verifyUpstreamsOptions } from './upstreams-options.js';

/**
 * Adds sign-in with other providers, such as Google, GitHub or a company's own OpenID provider, to the login page of
 * `pages()`, and a page on which users connect providers to their account. Requires the package `openid-client`.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function upstreams(options: UpstreamsOptions): Feature {
  verifyUpstreamsOptions(options);
  const providers = new Map(Object.entries(options.providers));
  const { accounts, realm, fetch = {} } = options;
  const send = typeof fetch === 'function' ? fetch : upstreamFetch(providers.values(), fetch);
  const endpoints = [...providers].flatMap(([name, provider]) => [
    [beginEndpoint(name), beginPage(name, provider)] as const,
    [callbackEndpoint(name), callbackPage(name, provider)] as const,
  ]);
  return {
    id: 'upstreams',
    requires: ['once', 'findIdentity', 'addIdentity', 'removeIdentity', 'listIdentities'],
    endpoints: { ...Object.fromEntries(endpoints), [CONNECTIONS]: connectionsPage() },
    injects: [injects(UPSTREAM_ACCOUNTS, 'accounts', accounts, ACCOUNT_METHODS)],
    install(builder) {
      const site = builder.use(SITE);
      builder.provide(UPSTREAM_SERVER, () => new UpstreamServer(builder.server, providers, send, realm));
      builder.contribute(ACCOUNT_SECTIONS, connectionsSection);
      for (const [name, provider] of providers) {
        if (provider.use !== 'link') builder.contribute(LOGIN_METHODS, loginMethod(name, provider, site));
      }
      return { misconfigurations: findErrors };
    },
  };
}

/** The button of a provider on the login page. */
const loginMethod = (name: string, { label }: UpstreamProvider, site: () => Site): LoginMethod => ({
  id: `upstream ${name}`,
  show({ request, response, loginPath, preferences }) {
    const { renderer, server } = site();
    const { message } = renderer.contextFor(preferences, MESSAGES);
    return {
      label: message('upstreamSignIn', { provider: label }),
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
const beginPage = (name: string, { label, use }: UpstreamProvider): Endpoint =>
  definePage<RefusalData, MessageKey>({
    path: `oauth/upstreams/${name}`,
    summary: `Begins a sign-in with ${label}`,
    messages: MESSAGES,
    problems: REFUSAL_PROBLEMS,
    leavesSite: true,
    get: (call) =>
      call.problemName === undefined
        ? call.login(call.returnTo)
        : { label, next: call.site.loginPath(call.request, call.returnTo) },
    async post(call) {
      if (use === 'link') return call.problem('upstreamLinkOnly');
      const begun = await beginAttempt(call, name, { returnTo: call.returnTo });
      return 'refusal' in begun
        ? refusalData(call, begun.refusal, {
            label,
            next: call.returnTo ?? call.site.loginPath(call.request, undefined),
          })
        : begun;
    },
    render: renderRefusal,
  });

/** The redirect URI of a provider. Each provider has its own, so that a response cannot be mixed up. RFC 9700 §4.4.2 */
const callbackPage = (name: string, { label }: UpstreamProvider): Endpoint =>
  definePage<RefusalData, MessageKey>({
    path: `oauth/upstreams/${name}/callback`,
    summary: `Receives the responses of ${label}`,
    messages: MESSAGES,
    problems: REFUSAL_PROBLEMS,
    // The encrypted cookie of the attempt and `state` protect the response.
    expired: false,
    get: (call) => finishAttempt(call, name, readResponse(call)),
    post: (call) => redirectForm(call),
    render: renderRefusal,
  });

function* findErrors(server: ServerContext): Iterable<string> {
  if (!server.find(SERVER_SECRETS)) yield '`upstreams()` requires the option `secret`, which encrypts its cookies';
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
