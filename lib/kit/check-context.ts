import { hash, randomUUID } from 'node:crypto';

import { Response } from '../http/response.js';
import type { AuthorizationCode, Token, Unsaved } from '../model/model.js';
import type { OAuth2Server } from '../server/server.js';
import { generateAccessToken, generateRefreshToken } from '../tokens/issuance.js';
import { opaqueToken } from '../tokens/opaque.js';
import type { ClientFixture } from './test-subject.js';
import { Fixtures } from './fixtures.js';
import { bearerRequest, tokenRequest } from './requests.js';

/** An authorization code as its client received it, with the values needed to redeem it. */
export interface IssuedCode {
  code: string;
  redirectUri?: string;
  verifier?: string;
}

/** The members of a token response that the kit reads. */
export interface TokenResponseBody {
  access_token: string;
  refresh_token?: string;
}

/**
 * Overrides for a token request: `server` is the server that handles it, `as` is the client that sends it. If omitted,
 * the server and the client of the fixtures.
 */
export interface TokenRequestOptions {
  server?: OAuth2Server;
  as?: ClientFixture;
}

/** Milliseconds after which codes and access tokens of the checks expire. A check is shorter, even on a slow machine. */
const LIFETIME = 15 * 60_000;

/**
 * The context of one contract check. It saves codes and tokens in the model under test, and sends requests to a server
 * that uses this model.
 */
export class CheckContext extends Fixtures {
  private readonly began = performance.now();

  /** The milliseconds since the check began, by a clock that no check changes. */
  get elapsed(): number {
    return performance.now() - this.began;
  }

  /**
   * Whether the model returns a time as it was saved. A database may store whole seconds, and may add a lifetime to its
   * own clock when the call arrives, which on a slow machine is later than the check has sent it.
   */
  isTimeSaved(found: unknown, saved: Date): boolean {
    return found instanceof Date && Math.abs(found.getTime() - saved.getTime()) <= 1000 + this.elapsed;
  }

  /** Returns a new grant ID. Returns `undefined` if the model has no `revokeGrant()`, and so no token families. */
  newGrantId(): string | undefined {
    return this.model.revokeGrant && randomUUID();
  }

  /** Returns a new PKCE code verifier with its code challenge. RFC 7636 §4 */
  newPkcePair(): { verifier: string; codeChallenge: string; codeChallengeMethod: string } {
    const verifier = opaqueToken();
    return { verifier, codeChallenge: hash('sha256', verifier, 'base64url'), codeChallengeMethod: 'S256' };
  }

  /** Returns a new token with the properties that the server would pass to the model. It is not saved yet. */
  async newToken(more: Partial<Unsaved<Token>> = {}): Promise<Unsaved<Token>> {
    const [client, user, scope] = [await this.client(), await this.user(), this.scope()];
    const grantId = this.newGrantId();
    const sent: Unsaved<Token> = {
      accessToken: await generateAccessToken(this.model, client, user, scope),
      accessTokenExpiresAt: new Date(Date.now() + LIFETIME),
      scope,
      ...(grantId && { grantId }),
    };
    if (this.model.getRefreshToken) {
      sent.refreshToken = await generateRefreshToken(this.model, client, user, scope);
      sent.refreshTokenExpiresAt = new Date(Date.now() + 2 * LIFETIME);
    }
    return Object.assign(sent, more);
  }

  /**
   * Saves a token in the model as the server would. Returns what the model was passed (`sent`) and what it returned
   * (`saved`).
   * @throws {Error} If the model returns nothing.
   */
  async saveToken(more?: Partial<Unsaved<Token>>): Promise<{ sent: Unsaved<Token>; saved: Token }> {
    const sent = await this.newToken(more);
    const saved = await this.model.saveToken(sent, await this.client(), await this.user());
    if (!saved) throw new Error('`saveToken()` returned nothing. It must return the saved token.');
    return { sent, saved };
  }

  /**
   * Saves an authorization code in the model as the server would. Returns what the model was passed (`sent`), what it
   * returned (`saved`), and the values to redeem the code (`held`).
   * @param proven Whether the code has a PKCE challenge. Default: only if the client is public.
   */
  async saveCode(more: Partial<Unsaved<AuthorizationCode>> = {}, proven = this.fixture.secret === undefined) {
    const [client, user, scope] = [await this.client(), await this.user(), this.scope()];
    const [redirectUri] = client.redirectUris ?? [];
    const { verifier, ...challenge } = proven ? this.newPkcePair() : {};
    const grantId = this.newGrantId();
    const sent: Unsaved<AuthorizationCode> = {
      authorizationCode: (await this.model.generateAuthorizationCode?.(client, user, scope)) || opaqueToken(),
      expiresAt: new Date(Date.now() + LIFETIME),
      scope,
      ...(redirectUri && { redirectUri }),
      ...challenge,
      ...(grantId && { grantId }),
      ...more,
    };
    const saved = await this.model.saveAuthorizationCode!(sent, client, user);
    if (!saved) throw new Error('`saveAuthorizationCode()` returned nothing. It must return the saved code.');
    const held: IssuedCode = { code: saved.authorizationCode, redirectUri: sent.redirectUri, verifier };
    return { sent, saved, held };
  }

  redeem(held: IssuedCode, options?: TokenRequestOptions): Promise<TokenResponseBody> {
    return this.token({ grant_type: 'authorization_code', ...codeParameters(held) }, options);
  }

  refresh(refreshToken: string, options?: TokenRequestOptions): Promise<TokenResponseBody> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken }, options);
  }

  /**
   * Sends a token request to the server and returns the response body.
   * @throws {OAuthError} If the server rejects the request.
   */
  async token(
    parameters: Record<string, string | undefined>,
    { server = this.server(), as = this.fixture }: TokenRequestOptions = {},
  ): Promise<TokenResponseBody> {
    const response = new Response();
    await server.token(tokenRequest(as, parameters), response);
    return response.body as TokenResponseBody;
  }

  /**
   * Whether the server accepts the access token in a request to a protected resource. Any error counts as a refusal.
   */
  async acceptsAccessToken(accessToken: string): Promise<boolean> {
    const response = this.server().authenticate(bearerRequest(accessToken), new Response());
    return response.then(
      () => true,
      () => false,
    );
  }

  /**
   * Returns valid parameters of a token request, without client credentials, by grant type: one request for each grant
   * type that the model supports.
   */
  async tokenRequests(): Promise<Record<string, Record<string, string | undefined>>> {
    const { model, scopeText: scope } = this;
    const { username, password } = this.subject.user ?? {};
    const requests: Record<string, Record<string, string | undefined>> = {};
    if (model.getUserFromClient) requests['client_credentials'] = { scope };
    if (model.getUser && username !== undefined) requests['password'] = { username, password, scope };
    if (model.getAuthorizationCode)
      requests['authorization_code'] = codeParameters((await this.saveCode({}, true)).held);
    if (model.getRefreshToken)
      requests['refresh_token'] = { refresh_token: (await this.saveToken()).sent.refreshToken };
    return requests;
  }
}

function codeParameters({ code, redirectUri, verifier }: IssuedCode): Record<string, string | undefined> {
  return { code, redirect_uri: redirectUri, code_verifier: verifier };
}
