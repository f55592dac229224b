import { InvalidArgumentError, type OAuth2Server, type User } from '../../lib/index.js';
import {
  type StoredUpstream,
  UPSTREAM_VAULT,
  type UpstreamToken,
  type UpstreamTokenRequest,
  type UpstreamVault,
} from '../interfaces/upstream-vault.interface.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';

/**
 * The tokens that other providers have issued for the users of a server with `upstreams({ vault: true })`. Inject it by
 * its class, or by `@InjectOAuth2Upstreams(name)` for a named server. With tenants, call `forTenant()` first.
 *
 * No route of the library returns a token. An application that sends one to a browser gives it to every script there.
 */
export class OAuth2Upstreams {
  /** @internal */
  constructor(private readonly server: OAuth2Server) {}

  /**
   * Returns the tokens of the users of one tenant.
   * @throws {InvalidRequestError} (404) If there is no such tenant.
   * @throws {InvalidArgumentError} If the server has no tenants.
   */
  async forTenant(tenant: string): Promise<OAuth2Upstreams> {
    const servers = tenantServersOf(this.server);
    if (!servers) throw new InvalidArgumentError('Invalid argument: `forTenant()` requires the option `tenants`');
    return new OAuth2Upstreams(await servers.get(tenant));
  }

  /**
   * Returns a valid access token of a user. It is refreshed if it expires soon, once in all processes.
   * @param user a user with an `id`
   * @param provider the name of the provider in the option `providers`
   * @throws {UpstreamConsentRequired} If the user must give consent at the provider first. Send the user to its `url`.
   * @throws {UpstreamUnavailable} If the token must be refreshed and the provider is unavailable.
   * @throws {InvalidArgumentError} If there is no such provider.
   */
  async token(user: User, provider: string, request: UpstreamTokenRequest = {}): Promise<UpstreamToken> {
    return this.vault.token(user, provider, request);
  }

  /**
   * Sends a request to an API of the provider with the access token of a user. If the API responds with status 401, the
   * token is refreshed and the request is sent once more. Redirects are returned, not followed.
   * @param init The options of `fetch()`. `body` must be a text or `URLSearchParams`.
   * @throws {InvalidArgumentError} If the origin of the URL is not in `apis` of the provider.
   * @throws {UpstreamConsentRequired} If the user must give consent at the provider first. Send the user to its `url`.
   * @throws {UpstreamUnavailable} If the token must be refreshed and the provider is unavailable.
   */
  async fetch(user: User, provider: string, input: string | URL, init: RequestInit = {}): Promise<Response> {
    return this.vault.fetch(user, provider, input, init);
  }

  /** Returns the providers that have issued tokens for a user, and whether the tokens can be used. */
  async list(user: User): Promise<StoredUpstream[]> {
    return this.vault.list(user);
  }

  /**
   * Deletes the tokens that a provider has issued for a user, and revokes them at the provider if it has a revocation
   * endpoint. The user can still sign in with the provider. RFC 7009
   * @returns whether there were tokens
   */
  async disconnect(user: User, provider: string): Promise<boolean> {
    return this.vault.disconnect(user, provider);
  }

  /**
   * Refreshes all tokens of a user that expire soon, for example before a long job. Tokens that cannot be refreshed do
   * not make it fail.
   * @returns the state of the tokens, as `list()` returns it
   */
  async refreshAll(user: User, request: Pick<UpstreamTokenRequest, 'minValidity'> = {}): Promise<StoredUpstream[]> {
    return this.vault.refreshAll(user, request);
  }

  private get vault(): UpstreamVault {
    // A mock server of a test may have no context.
    const vault = (this.server.context as OAuth2Server['context'] | undefined)?.find(UPSTREAM_VAULT);
    if (vault) return vault;
    throw new InvalidArgumentError(
      'Invalid argument: `OAuth2Upstreams` requires `upstreams({ vault: true })` among the `features` of the server. With tenants, call `forTenant()`',
    );
  }
}
