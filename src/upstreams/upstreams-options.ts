import { assertConfig, assertKnownOptions, type SafeFetchOptions } from '../../lib/internal.js';
import { isObject } from '../configuration/is-object.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';
import { assertRealm } from '../tenants/tenant-of.js';
import type { UpstreamAccounts } from './linking/accounts.js';
import type { FetchFunction, UpstreamProvider } from './providers/provider.js';

/** The options of `upstreams()`. */
export interface UpstreamsOptions {
  /**
   * The providers by name: `{ google: google({ … }), acme: oidc({ … }) }`. The name is part of the redirect URI:
   * `https://id.example.com/oauth/upstreams/google/callback`.
   */
  providers: Readonly<Record<string, UpstreamProvider>>;
  /** Finds and creates the accounts of users. A class that Nest instantiates, an instance, or a provider. */
  accounts: ProviderOption<UpstreamAccounts>;
  /**
   * The name of the users, if servers with other users share the store. Otherwise users with the same ID would share
   * their connected accounts. Tenants are kept apart without it. If omitted, all servers of the store have the same users.
   */
  realm?: string;
  /**
   * How the providers are called: options of the built-in protection against SSRF, or a function with the signature of
   * `fetch()`, for example for a proxy. It must not follow redirects. Default: hosts in the options of the providers,
   * and public hosts; 10 seconds and 65,536 bytes for each response.
   */
  fetch?: SafeFetchOptions | FetchFunction;
  /**
   * Whether the tokens that the providers issue are stored, encrypted with `secret`, so that the application can call
   * their APIs by `OAuth2Upstreams`. Default: `false`.
   */
  vault?: boolean;
}

const UPSTREAMS: { readonly [K in keyof UpstreamsOptions]-?: true } = {
  providers: true,
  accounts: true,
  realm: true,
  fetch: true,
  vault: true,
};

/** The names of providers, which are part of paths, cookies and messages. */
const NAME = /^[a-z\d][a-z\d_-]{0,31}$/i;

/** @throws {InvalidArgumentError} If an option is unknown or invalid. */
export function verifyUpstreamsOptions(options: UpstreamsOptions): void {
  assertKnownOptions(options, UPSTREAMS, '`upstreams()`');
  const { providers, accounts, fetch = {}, vault = false } = options;
  const entries = isObject(providers) ? Object.entries(providers) : [];
  assertConfig(entries.length > 0, '`providers` of `upstreams()` must name at least one provider');
  for (const [name, provider] of entries) {
    assertConfig(NAME.test(name), `the name \`${name}\` in \`providers\` must be letters, digits, \`-\` and \`_\``);
    assertConfig(
      isObject(provider) && typeof (provider as Partial<UpstreamProvider>).secret === 'function',
      `\`providers.${name}\` of \`upstreams()\` must be the result of \`oidc()\`, \`oauth()\` or a preset such as \`google()\``,
    );
  }
  assertRealm(options.realm, 'upstreams()');
  assertConfig(Boolean(accounts), '`accounts` of `upstreams()` must be a class, an instance or a provider of Nest');
  assertConfig(typeof vault === 'boolean', '`vault` of `upstreams()` must be true or false');
  assertConfig(
    typeof fetch === 'function' || isObject(fetch),
    '`fetch` of `upstreams()` must be an object with options, or a function like `fetch()`',
  );
}
