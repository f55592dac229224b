import {
  accepts,
  assertConfig,
  FLAG,
  MODULE_STATE,
  type OptionRows,
  optionTable,
  type SafeFetchOptions,
  settingOf,
  type ValueCheck,
} from '../../lib/internal.js';
import type { Falsy, ServerContext } from '../../lib/index.js';
import { isObject } from '../configuration/is-object.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';
import { REALM } from '../tenants/tenant-of.js';
import type { UpstreamAccounts } from './linking/accounts.js';
import { apple } from './providers/apple.js';
import { oauth } from './providers/oauth.js';
import { oidc } from './providers/oidc.js';
import { facebook, github, gitlab, google, microsoft } from './providers/presets.js';
import type { FetchFunction, UpstreamProvider } from './providers/provider.js';

/**
 * A provider, or a function that returns it from the option `config` of the server or the tenant. The server has no such
 * provider if the function returns a falsy value.
 */
// oxlint-disable-next-line no-explicit-any
export type ProviderSetting = UpstreamProvider | ((config: any) => UpstreamProvider | Falsy);

/** The options of `upstreams()`. */
export interface UpstreamsOptions {
  /**
   * The providers by name: `{ google: google({ … }), acme: oidc({ … }) }`. The name is part of the redirect URI:
   * `https://id.example.com/oauth/upstreams/google/callback`. A function is called when the server is made, with the
   * option `config`. So each tenant can have its own provider, or none.
   */
  providers: Readonly<Record<string, ProviderSetting>>;
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

/** The names of providers, which are part of paths, cookies and messages. */
const NAME = /^[a-z\d][a-z\d_-]{0,31}$/i;

const OWNER = '`upstreams()`';

const PROVIDERS: ValueCheck<UpstreamsOptions['providers']> = (value) => {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length === 0) return `\`providers\` of ${OWNER} must name at least one provider`;
  const misnamed = entries.find(([name]) => !NAME.test(name));
  if (misnamed) return `the name \`${misnamed[0]}\` in \`providers\` must be letters, digits, \`-\` and \`_\``;
  const invalid = entries.find(([, one]) => (typeof one === 'function' ? FUNCTIONS.has(one) : !isProvider(one)));
  return invalid && notProvider(invalid[0]);
};

/** The functions that return a provider, which must be called. */
const FUNCTIONS: ReadonlySet<unknown> = new Set([apple, facebook, github, gitlab, google, microsoft, oauth, oidc]);

const isProvider = (value: unknown): value is UpstreamProvider =>
  isObject(value) && typeof value['secret'] === 'function';

const notProvider = (name: string) =>
  `\`providers.${name}\` of ${OWNER} must be the result of \`oidc()\`, \`oauth()\` or a preset, as \`google({ clientId, clientSecret })\``;

const ACCOUNTS = 'a class, an instance or a provider of Nest';

const OPTIONS = optionTable(OWNER, {
  providers: { check: PROVIDERS, required: 'the providers that users can sign in with, by name' },
  accounts: { check: accepts<UpstreamsOptions['accounts']>(ACCOUNTS, Boolean), required: ACCOUNTS },
  realm: { check: REALM },
  fetch: {
    check: accepts<SafeFetchOptions | FetchFunction>(
      'an object with options, or a function like `fetch()`',
      (value) => typeof value === 'function' || isObject(value),
    ),
    default: {},
  },
  vault: { check: FLAG, default: false },
} satisfies OptionRows<UpstreamsOptions>);

/**
 * Validates the options of `upstreams()` and applies the defaults.
 * @throws {InvalidArgumentError} If an option is unknown or invalid.
 */
export const readUpstreamsOptions = (options: UpstreamsOptions) => OPTIONS.read(options);

/**
 * Returns the providers of one server by name.
 * @throws {InvalidArgumentError} If a function of the application returns something else.
 */
export function providersOf({ providers }: UpstreamsOptions, server: ServerContext): Map<string, UpstreamProvider> {
  const found = new Map<string, UpstreamProvider>();
  for (const [name, setting] of Object.entries(providers)) {
    if (typeof setting === 'function' && server.find(MODULE_STATE)?.isTemplate) continue;
    const provider = settingOf<UpstreamProvider | Falsy>(setting, server);
    if (!provider) continue;
    assertConfig(isProvider(provider), notProvider(name));
    found.set(name, provider);
  }
  return found;
}
