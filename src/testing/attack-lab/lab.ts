import type { User } from '../../../lib/index.js';
import type { LabBrowser } from './browser.js';
import type { LabClient } from './clients.js';
import { readJwt, seconds, sha256 } from './jwt.js';
import { type Form, LabRequests, type PostOptions, type Role } from './lab-requests.js';
import { describeResponse, Inconclusive, NotApplicable } from './outcome.js';
import type { Arrival, VisitOptions } from './browsers.js';
import { apiScopes } from './target.js';
import type { LabResponse } from './wire.js';

/** An authorization request and where it led. */
export interface Authorization extends Arrival {
  client: LabClient;
  /** The parameters of the redirect to the client. */
  params: URLSearchParams;
  code: string | undefined;
  verifier: string;
  redirectUri: string;
}

/** The tokens of an honest client. */
export interface Tokens {
  access: string;
  refresh: string | undefined;
  id: string | undefined;
  response: LabResponse;
}

/** The tools of one attack: honest clients and users, malicious ones, and requests to the application. */
export class Lab extends LabRequests {
  /** Returns the parameters of an authorization request, and the verifier of its code challenge. */
  parametersOf(client: LabClient, changes: Form = {}) {
    const verifier = this.random.next(43);
    const { resource, scopes } = this.target;
    const all: Form = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: client.redirectUri,
      scope: scopes.filter((scope) => client.scopes.includes(scope)).join(' '),
      state: this.random.next(12),
      code_challenge: sha256(verifier),
      code_challenge_method: 'S256',
      ...(this.target.features.has('openid') && { nonce: this.random.next(12) }),
      ...(scopes.includes('offline_access') && { prompt: 'consent' }),
      ...(resource !== undefined && { resource }),
      ...changes,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { verifier, parameters: Object.fromEntries(given) };
  }

  /** Returns the URL of an authorization request. Pushes or signs the request if the server requires it. */
  async authorizeUrl(client: LabClient, parameters: Readonly<Record<string, string>>): Promise<string> {
    const query = this.signed(client, parameters);
    if (this.target.metadata['require_pushed_authorization_requests'] !== true) return this.at('authorize', query);
    const pushed = await this.post('pushed_authorization_request', client, query);
    if (pushed.status >= 400) throw new Rejected(pushed);
    return this.at('authorize', { client_id: client.id, request_uri: String(pushed.json['request_uri']) });
  }

  /** Returns an authorization request, as a request object if the server requires it. */
  signed(client: LabClient, parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.target.metadata['require_signed_request_object'] !== true) return parameters;
    const request = client.key.sign(this.requestClaims(client, parameters), REQUEST_OBJECT);
    return { client_id: client.id, request };
  }

  /** Returns the claims of a request object. RFC 9101 §4 */
  requestClaims = (client: LabClient, parameters: object): Record<string, unknown> => ({
    ...parameters,
    iss: client.id,
    aud: this.target.issuer,
    nbf: seconds(),
    exp: seconds() + 300,
    jti: this.random.next(),
  });

  /** Sends an authorization request in the browser of the user, and follows the pages. */
  async authorize(
    role: Role | LabClient,
    changes: Form = {},
    { browser, ...visit }: VisitOptions & { browser?: LabBrowser } = {},
  ): Promise<Authorization> {
    const client = await this.client(role);
    const { verifier, parameters } = this.parametersOf(client, changes);
    const used = browser ?? (await this.victim());
    let arrival: Arrival;
    try {
      const page = await used.open(await this.authorizeUrl(client, parameters));
      arrival = await this.parts.browsers.follow(used, page, visit);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      arrival = { page: error.response, isAtLogin: false };
    }
    const { left } = arrival;
    const params = new URLSearchParams(left?.hash ? left.hash.slice(1) : left?.search);
    const code = params.get('code') ?? undefined;
    return {
      ...arrival,
      client,
      params,
      code,
      verifier,
      redirectUri: parameters['redirect_uri'] ?? client.redirectUri,
    };
  }

  /** Opens an authorization request up to its consent page. @throws {NotApplicable} If no such page is shown. */
  async consentPage(client: LabClient) {
    const authorization = await this.authorize(client, {}, { consent: 'stop' });
    const { consent: form } = authorization;
    if (!form) throw new NotApplicable('no consent page with a button `decision` is shown to the user');
    return { ...authorization, form };
  }

  /** Returns the browser of the honest user, who is signed in. */
  async signedIn(): Promise<LabBrowser> {
    if (this.target.server.context.grants.has('authorization_code')) await this.grant('web');
    return this.victim();
  }

  /** Returns an authorization with a code. @throws {Inconclusive} If the application issues none. */
  async grant(role: Role | LabClient, changes: Form = {}): Promise<Authorization & { code: string }> {
    const authorization = await this.authorize(role, changes);
    const { code, page, params } = authorization;
    if (code !== undefined) return { ...authorization, code };
    const error = params.get('error_description') ?? params.get('error');
    throw new Inconclusive(`an honest client got no code: ${describeResponse(page)}${error ? ` (${error})` : ''}`);
  }

  /** Redeems a code. */
  redeem(
    { client, code, verifier, redirectUri }: Authorization,
    changes: Form = {},
    options: PostOptions & { as?: Role | LabClient | null } = {},
  ) {
    const { as = client, ...post } = options;
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
    return this.post('token', as ?? undefined, { ...form, ...changes }, post);
  }

  /** Returns the tokens of an honest client. @throws {Inconclusive} If the application issues none. */
  async tokens(role: Role | LabClient, changes: Form = {}): Promise<Tokens> {
    return this.tokensOf(await this.redeem(await this.grant(role, changes)));
  }

  /** Returns the tokens of a response. @throws {Inconclusive} If it has none. */
  tokensOf(response: LabResponse): Tokens {
    const { access_token: access, refresh_token: refresh, id_token: id } = response.json as Record<string, string>;
    if (access === undefined) throw new Inconclusive(`an honest client got no token: ${describeResponse(response)}`);
    return { access, refresh, id, response };
  }

  /** Returns the claims of a JWT access token, or the token as the model returns it. */
  async stored(access: string): Promise<Readonly<Record<string, unknown>>> {
    const { model } = this.target.server.options as { model: { getAccessToken?(token: string): unknown } };
    return readJwt(access)?.claims ?? ((await model.getAccessToken?.(access)) as Record<string, unknown>) ?? {};
  }

  /**
   * Returns the user who is signed in in a browser. By default, the honest user.
   * @throws {NotApplicable} If the model does not return it.
   */
  async userOf(browser?: LabBrowser): Promise<User> {
    const grant = browser ? await this.authorize('web', {}, { browser, login: false }) : await this.grant('web');
    if (grant.code === undefined) throw new NotApplicable('no user is signed in');
    const stored = await this.stored(this.tokensOf(await this.redeem(grant)).access);
    const { user, sub } = stored as { user?: User; sub?: string };
    if (!user && sub === undefined) throw new NotApplicable('the model does not return the user of an access token');
    return user ?? { id: sub };
  }

  /** Whether a page shows data of a user, and not a login page. */
  static isSignedIn = ({ status, text }: LabResponse): boolean => status === 200 && !/type="?password/.test(text);

  /** Returns a refresh token. @throws {NotApplicable} If the server issues none. */
  refreshTokenOf({ refresh }: Tokens): string {
    if (refresh === undefined) throw new NotApplicable('the server issues no refresh tokens to this client');
    return refresh;
  }

  /** Returns the refresh token of an honest client. @throws {NotApplicable} If the server issues none. */
  async refreshToken(role: Role | LabClient = 'web'): Promise<string> {
    return this.refreshTokenOf(await this.tokens(role));
  }

  /** Returns a client whose refresh tokens are rotated. @throws {NotApplicable} If there is none. */
  async rotatingClient(): Promise<LabClient> {
    const { context } = this.target.server;
    if (context.options.alwaysIssueNewRefreshToken) return this.client('web');
    if (this.parts.context.lacks('public clients') === undefined) return this.client('app');
    throw new NotApplicable('refresh tokens are bound to their clients and not rotated');
  }

  refresh = (role: Role | LabClient | undefined, token: string, changes: Form = {}, options?: PostOptions) =>
    this.post('token', role, { grant_type: 'refresh_token', refresh_token: token, ...changes }, options);

  /** Requests a token of the client credentials grant. */
  async machineToken(role: Role, changes: Form = {}): Promise<LabResponse> {
    const scope = apiScopes((await this.client(role)).scopes).join(' ');
    return this.post('token', role, { ...(await this.machineForm()), scope, ...changes });
  }
}

/** The header of request objects. RFC 9101 §10.8 */
export const REQUEST_OBJECT = { typ: 'oauth-authz-req+jwt' };

/** A pushed authorization request that the server rejected. */
class Rejected extends Error {
  constructor(readonly response: LabResponse) {
    super('rejected');
  }
}
