import type * as OpenIdClient from 'openid-client';
import { configurationError, settingOf } from '../../../lib/adapter/index.js';
import type { ServerContext } from '../../../lib/index.js';
import { isLoopbackUrl } from './oidc.js';
import type { FetchFunction, UpstreamProvider, UpstreamUser } from './provider.js';
import { isUser, userFromClaims } from './upstream-user.js';

type Library = typeof OpenIdClient;

/** The values that bind an authorization response to the request that this browser has sent. */
export interface ResponseChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The parameters of an authorization request to a provider. */
export interface UpstreamRequest extends ResponseChecks {
  readonly redirectUri: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** A verified sign-in at a provider. */
export interface VerifiedSignIn {
  readonly iss: string;
  readonly user: UpstreamUser;
  readonly acr: string | undefined;
  readonly amr: readonly string[] | undefined;
  readonly authTime: Date | undefined;
}

/** A sign-in that the provider has verified, but whose user is refused. The message is for the log. */
export class RefusedUser extends Error {
  override readonly name = 'RefusedUser';
}

/** Seconds after which the metadata and keys of a provider are read again. */
const METADATA_LIFETIME = 3600;

/** The client of one provider: sends authorization requests, and verifies the responses. */
export class ProviderClient {
  private current: { configuration: Promise<OpenIdClient.Configuration>; readAt: number } | undefined;

  constructor(
    readonly provider: UpstreamProvider,
    private readonly server: Pick<ServerContext, 'find'>,
    private readonly fetch: FetchFunction,
  ) {}

  /** Returns the URL of the authorization request, with PKCE and, for OpenID providers, a `nonce`. */
  async authorizationUrl({ redirectUri, state, nonce, verifier, parameters }: UpstreamRequest): Promise<URL> {
    const { provider } = this;
    const library = await loadLibrary();
    const more = Object.entries({ ...provider.parameters, ...parameters });
    return library.buildAuthorizationUrl(await this.configuration(library), {
      ...Object.fromEntries(more.filter((entry): entry is [string, string] => entry[1] !== undefined)),
      redirect_uri: redirectUri,
      ...(provider.scope !== '' && { scope: provider.scope }),
      state,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(provider.endpoints === undefined && { nonce }),
      ...(provider.usesFormPost && { response_mode: 'form_post' }),
    });
  }

  /**
   * Redeems the code of an authorization response, and returns the verified user.
   * @param url the redirect URI with the parameters of the response
   * @throws {Error} If the response, the ID token or the profile is invalid.
   */
  async finish(url: URL, { state, nonce, verifier }: ResponseChecks): Promise<VerifiedSignIn> {
    const { provider } = this;
    const library = await loadLibrary();
    const configuration = await this.configuration(library);
    const tokens = await library.authorizationCodeGrant(configuration, url, {
      expectedState: state,
      pkceCodeVerifier: verifier,
      ...(provider.endpoints === undefined && { expectedNonce: nonce, idTokenExpected: true }),
    });
    if (provider.profile) {
      const { access_token: accessToken } = tokens;
      const user: unknown = await provider.profile({ fetch: this.fetchWith(accessToken), accessToken });
      return { iss: provider.issuer, user: verified(user), acr: undefined, amr: undefined, authTime: undefined };
    }
    const claims = tokens.claims()!;
    const refusal = provider.findRefusal?.(claims);
    if (refusal !== undefined) throw new RefusedUser(refusal);
    const userInfo = await this.userInfo(library, configuration, tokens.access_token, claims.sub);
    const { iss, acr, amr, auth_time: authTime } = claims as typeof claims & { acr?: unknown; amr?: unknown };
    return {
      iss,
      user: verified(userFromClaims(provider, { ...userInfo, ...claims })),
      acr: typeof acr === 'string' ? acr : undefined,
      amr: Array.isArray(amr) && amr.every((one) => typeof one === 'string') ? amr : undefined,
      authTime: typeof authTime === 'number' ? new Date(authTime * 1000) : undefined,
    };
  }

  /** Reads the UserInfo endpoint, if the metadata has one. Its `sub` must be that of the ID token. Core §5.3.2 */
  private async userInfo(
    library: Library,
    configuration: OpenIdClient.Configuration,
    token: string,
    sub: string,
  ): Promise<object> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
    return await library.fetchUserInfo(configuration, token, sub);
  }

  /** Returns a function that sends requests with the access token, to the APIs of the provider only. */
  private fetchWith(accessToken: string): FetchFunction {
    return async (url, init = {}) => {
      if (!this.provider.apis.includes(new URL(url).origin)) {
        throw configurationError(
          `the access token of ${this.provider.label} must not be sent to ${url}: add its origin to \`apis\``,
        );
      }
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${accessToken}`);
      return this.fetch(url, { ...init, headers, redirect: 'manual' });
    };
  }

  /** Returns the configuration of the client. If it cannot be read again, the previous one is used. */
  private configuration(library: Library): Promise<OpenIdClient.Configuration> {
    const previous = this.current;
    if (previous && Date.now() - previous.readAt < METADATA_LIFETIME * 1000) return previous.configuration;
    const read = this.readConfiguration(library);
    const configuration = previous ? read.catch(() => previous.configuration) : read;
    const current = { configuration, readAt: Date.now() };
    this.current = current;
    // A failed discovery must not be remembered.
    configuration.catch(() => {
      if (this.current === current) this.current = undefined;
    });
    return configuration;
  }

  private async readConfiguration(library: Library): Promise<OpenIdClient.Configuration> {
    const { provider, server, fetch } = this;
    const clientId = settingOf(provider.clientId, server);
    const authentication = this.clientAuthentication(library, clientId);
    const customFetch = (url: string, init: object) => fetch(url, init);
    const isInsecure = isLoopbackUrl(provider.issuer);
    if (provider.endpoints === undefined) {
      return await library.discovery(new URL(provider.issuer), clientId, {}, authentication, {
        [library.customFetch]: customFetch,
        execute: [library.enableNonRepudiationChecks, ...(isInsecure ? [library.allowInsecureRequests] : [])],
      });
    }
    const { authorization, token } = provider.endpoints;
    const metadata = {
      issuer: provider.issuer,
      authorization_endpoint: authorization,
      token_endpoint: token,
      authorization_response_iss_parameter_supported: provider.sendsIssuer,
    };
    const configuration = new library.Configuration(metadata, clientId, {}, authentication);
    configuration[library.customFetch] = customFetch;
    if (isLoopbackUrl(token)) library.allowInsecureRequests(configuration);
    return configuration;
  }

  /** Returns the client authentication. The secret is read for each request, because it may be signed or rotated. */
  private clientAuthentication(library: Library, clientId: string): OpenIdClient.ClientAuth {
    const { provider } = this;
    const { method } = provider;
    return (metadata, client, body, headers) => {
      const { token_endpoint_auth_methods_supported: supported = ['client_secret_basic'] } = metadata;
      const isBasic =
        (method ?? (supported.includes('client_secret_basic') ? 'client_secret_basic' : '')) === 'client_secret_basic';
      const make = isBasic ? library.ClientSecretBasic : library.ClientSecretPost;
      make(provider.secret(clientId, this.server))(metadata, client, body, headers);
    };
  }
}

function verified(user: unknown): UpstreamUser {
  if (isUser(user)) return user;
  throw new RefusedUser('the `sub` of the user is missing, empty or too long');
}

let library: Promise<Library> | undefined;

/** Loads `openid-client`, which only `upstreams()` needs. */
function loadLibrary(): Promise<Library> {
  return (library ??= import('openid-client').catch((cause: unknown) => {
    library = undefined;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw configurationError(
      `\`upstreams()\` requires the package \`openid-client\`: run \`npm install openid-client\`. ${reason}`,
    );
  }));
}
