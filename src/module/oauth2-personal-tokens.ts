import { isPrincipal, PERSONAL_TOKENS, type PersonalTokens } from '../../lib/internal.js';
import {
  AccessDeniedError,
  type CreatedPersonalToken,
  InvalidArgumentError,
  type OAuth2Server,
  type PersonalToken,
  type PersonalTokenRequest,
  type Token,
  type User,
} from '../../lib/index.js';
import { type NativeRequest, toOAuthRequest } from '../http/http-adapter.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';
import { withContext } from './oauth2-context.js';

/**
 * The personal access tokens of users, for the application's own pages and routes. Inject it by its class, or by
 * `@InjectOAuth2PersonalTokens(name)` for a named server. With tenants, the request determines the tenant.
 * @throws {InvalidArgumentError} If no feature adds personal access tokens to the server.
 */
export class OAuth2PersonalTokens {
  /** @internal */
  constructor(private readonly server: OAuth2Server) {}

  /**
   * Creates a token for a user who has signed in. The returned `token` cannot be read again.
   * @param request the request of Express or Fastify. `undefined` for a job, on a server without tenants.
   * @throws {AccessDeniedError} If an access token authenticated the request: no token may create another one.
   * @throws {InvalidScopeError} If no scope is requested, or one that the user may not choose.
   * @throws {InvalidArgumentError} If the name or the lifetime is invalid, or if the user has 50 tokens already.
   */
  async create(
    request: NativeRequest | undefined,
    user: User,
    choices: PersonalTokenRequest,
  ): Promise<CreatedPersonalToken> {
    const { token } = (request as { oauth2?: { token?: Token } } | undefined)?.oauth2 ?? {};
    if (token && !isPrincipal(token)) {
      throw new AccessDeniedError('Access denied: a token cannot create a personal access token', {
        code: 403,
      }).because({
        reason: 'an access token authenticated the request, and no token may create another one',
        remedy: 'let the user sign in, and create the token in a request with the login session',
      });
    }
    return this.run(request, (tokens) => tokens.create(user, choices));
  }

  /** Returns the scopes that a user can choose from. */
  async scopesOf(request: NativeRequest | undefined, user: User): Promise<readonly string[]> {
    return this.run(request, (tokens) => tokens.scopesOf(user));
  }

  /** Returns the active tokens of a user, the newest first. */
  async list(request: NativeRequest | undefined, user: User): Promise<PersonalToken[]> {
    return this.run(request, (tokens) => tokens.list(user));
  }

  /**
   * Revokes a token of a user. Tokens of other users are never revoked.
   * @param id the `id` of a listed token
   * @returns whether the token was active
   */
  async revoke(request: NativeRequest | undefined, user: User, id: string): Promise<boolean> {
    return this.run(request, (tokens) => tokens.revoke(user, id));
  }

  /** Runs an operation on the server that the request belongs to. */
  private async run<T>(
    native: NativeRequest | undefined,
    operation: (tokens: PersonalTokens) => Promise<T>,
  ): Promise<T> {
    const { server } = this;
    if (!native) return operation(personalTokensOf(server));
    const request = toOAuthRequest(native);
    const own = (await tenantServersOf(server)?.find(request)) ?? server;
    const tokens = personalTokensOf(own);
    return withContext(own.context, request, () => operation(tokens));
  }
}

/**
 * Returns the personal access tokens of a server.
 * @throws {InvalidArgumentError} If no feature adds them.
 */
function personalTokensOf({ context }: OAuth2Server): PersonalTokens {
  // A mock server of a test may have no context.
  const tokens = (context as OAuth2Server['context'] | undefined)?.find(PERSONAL_TOKENS);
  if (tokens) return tokens;
  throw new InvalidArgumentError(
    'Invalid argument: `OAuth2PersonalTokens` requires `personalAccessTokens()` or `accounts({ personalAccessTokens })` among the `features` of the server. With tenants, pass the request',
  );
}
