import type * as OpenIdClient from 'openid-client';

import { type LogoutTokenIssuer, settingOf } from '../../../lib/internal.js';
import type { ServerContext } from '../../../lib/index.js';
import { callApi } from './api-call.js';
import { isLoopbackUrl } from './oidc.js';
import { type Library, loadLibrary, rejectDiscovery } from './openid-client.js';
import type { FetchFunction, UpstreamProvider, UpstreamUser } from './provider.js';
import { type IssuedTokens, issuedIn } from './token-response.js';
import { isUser, userFromClaims } from './upstream-user.js';

const BASIC = 'client_secret_basic';

/** The values that bind an authorization response to the request that this browser has sent. */
export interface ResponseChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The parameters of an authorization request to a provider. */
export interface UpstreamRequest extends ResponseChecks {
  readonly redirectUri: string;
  /** The requested scope. Default: that of the provider. */
  readonly scope?: string | undefined;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** A verified sign-in at a provider. */
export interface VerifiedSignIn {
  readonly tokens: IssuedTokens;
  readonly iss: string;
  readonly user: UpstreamUser;
  readonly acr: string | undefined;
  readonly amr: readonly string[] | undefined;
  readonly authTime: Date | undefined;
  /** The ID of the session at the provider. OpenID Connect Back-Channel Logout 1.0 §2.1 */
  readonly sid: string | undefined;
}

type IdTokenClaims = OpenIdClient.IDToken & Partial<Record<'acr' | 'amr' | 'sid', unknown>>;

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
  async authorizationUrl(request: UpstreamRequest): Promise<URL> {
    const { redirectUri, state, nonce, verifier, parameters } = request;
    const { provider } = this;
    const { scope = provider.scope } = request;
    const library = await loadLibrary();
    const more = Object.entries(parameters);
    return library.buildAuthorizationUrl(await this.configuration(library), {
      ...Object.fromEntries(more.filter((entry): entry is [string, string] => entry[1] !== undefined)),
      redirect_uri: redirectUri,
      ...(scope !== '' && { scope }),
      state,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(provider.endpoints === undefined && { nonce }),
      ...(provider.responseMode !== undefined && { response_mode: provider.responseMode }),
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
      const api = { apis: provider.apis, label: provider.label, send: this.fetch };
      const fetch: FetchFunction = async (target, init = {}) => callApi(api, target, init)(accessToken);
      const user: unknown = await provider.profile({ fetch, accessToken });
      const unknown = { acr: undefined, amr: undefined, authTime: undefined, sid: undefined };
      return { tokens: issuedIn(tokens), iss: provider.issuer, user: verified(user), ...unknown };
    }
    const claims = tokens.claims()!;
    const refusal = provider.findRefusal?.(claims);
    if (refusal !== undefined) throw new RefusedUser(refusal);
    const userInfo = await this.userInfo(library, configuration, tokens.access_token, claims.sub);
    const { iss, acr, amr, sid, auth_time: authTime }: IdTokenClaims = claims;
    return {
      tokens: issuedIn(tokens),
      iss,
      user: verified(userFromClaims(provider, { ...userInfo, ...claims })),
      acr: typeof acr === 'string' ? acr : undefined,
      amr: Array.isArray(amr) && amr.every((one) => typeof one === 'string') ? amr : undefined,
      sid: typeof sid === 'string' && sid.length <= 255 && sid !== '' ? sid : undefined,
      authTime: typeof authTime === 'number' ? new Date(authTime * 1000) : undefined,
    };
  }

  /** Reads the metadata of the provider, if they are not known. */
  async prepare(): Promise<void> {
    await this.configuration(await loadLibrary());
  }

  /** The client identifier at the provider. */
  get clientId(): string {
    return settingOf(this.provider.clientId, this.server);
  }

  /** Whether the client secret is empty, such as an environment variable that is not set. */
  get lacksSecret(): boolean {
    return this.provider.secret(this.clientId, this.server) === '';
  }

  /** Reads the issuer, the signature algorithms and the keys of an OpenID provider. */
  async readKeys(): Promise<LogoutTokenIssuer> {
    const configuration = await this.configuration(await loadLibrary());
    const metadata = configuration.serverMetadata();
    const response = await this.fetch(metadata.jwks_uri!, { headers: { accept: 'application/json' } });
    const { id_token_signed_response_alg: alg } = this.provider.clientMetadata;
    const algorithms = alg === undefined ? (metadata.id_token_signing_alg_values_supported ?? ['RS256']) : [alg];
    return { issuer: metadata.issuer, algorithms, keys: response.ok ? await response.json() : undefined };
  }

  /** Refreshes tokens. RFC 6749 §6 */
  async refresh(refreshToken: string): Promise<IssuedTokens> {
    const library = await loadLibrary();
    return issuedIn(await library.refreshTokenGrant(await this.configuration(library), refreshToken));
  }

  /** Revokes tokens, if the provider can. Errors are ignored. RFC 7009 §2 */
  async revoke({ refreshToken, accessToken }: Partial<IssuedTokens> & { accessToken: string }): Promise<void> {
    const { provider, fetch, clientId, server } = this;
    try {
      const clientSecret = provider.secret(clientId, server);
      if (provider.revoke) return await provider.revoke({ fetch, accessToken, clientId, clientSecret });
      const library = await loadLibrary();
      const configuration = await this.configuration(library);
      if (configuration.serverMetadata().revocation_endpoint === undefined) return;
      // The provider ends the access tokens of a refresh token too. RFC 7009 §2.1
      await library.tokenRevocation(configuration, refreshToken ?? accessToken);
    } catch {
      // The tokens are deleted here in any case.
    }
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
    const { provider, fetch, clientId } = this;
    const authentication = this.clientAuthentication(library, clientId);
    const customFetch = (url: string, init: object) => fetch(url, init);
    if (provider.endpoints === undefined) {
      const insecure = isLoopbackUrl(provider.issuer) ? [library.allowInsecureRequests] : [];
      return await library
        .discovery(new URL(provider.issuer), clientId, provider.clientMetadata, authentication, {
          [library.customFetch]: customFetch,
          execute: [library.enableNonRepudiationChecks, ...insecure],
        })
        .catch((error: unknown) => rejectDiscovery(provider.issuer, error));
    }
    const { authorization, token, revocation } = provider.endpoints;
    const metadata = {
      issuer: provider.issuer,
      authorization_endpoint: authorization,
      token_endpoint: token,
      ...(revocation !== undefined && { revocation_endpoint: revocation }),
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
    return (metadata, client, body, headers) => {
      const { token_endpoint_auth_methods_supported: supported = [BASIC] } = metadata;
      const isBasic = provider.method === undefined ? supported.includes(BASIC) : provider.method === BASIC;
      const make = isBasic ? library.ClientSecretBasic : library.ClientSecretPost;
      make(provider.secret(clientId, this.server))(metadata, client, body, headers);
    };
  }
}

function verified(user: unknown): UpstreamUser {
  if (isUser(user)) return user;
  throw new RefusedUser('the `sub` of the user is missing, empty or too long');
}
