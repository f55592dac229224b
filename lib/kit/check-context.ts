import { hash, randomUUID } from 'node:crypto';

import { Response } from '../http/response.js';
import type { AuthorizationCode, Token, Unsaved } from '../model/model.js';
import type { OAuth2Server } from '../server/server.js';
import { generateAccessToken, generateRefreshToken } from '../tokens/issuance.js';
import { opaqueToken } from '../tokens/opaque.js';
import type { ClientFixture } from './test-subject.js';
import { Fixtures } from './fixtures.js';
import { bearerRequest, tokenRequest } from './requests.js';

/** A code as its client holds it. */
export interface IssuedCode {
  code: string;
  redirectUri?: string;
  verifier?: string;
}

/** What a token response holds. */
export interface TokenResponseBody {
  access_token: string;
  refresh_token?: string;
}

/** Where a request goes: another server than the kit's own, another client than that of the fixtures. */
export interface TokenRequestOptions {
  server?: OAuth2Server;
  as?: ClientFixture;
}

const MINUTE = 60_000;

/** The model on trial: what the kit saves in it, and what a host's server makes of it. */
export class CheckContext extends Fixtures {
  /** A new grant, for models that keep families. */
  newGrantId(): string | undefined {
    return this.model.revokeGrant && randomUUID();
  }

  /** What a client keeps to itself, and what it shows of it. RFC 7636 §4 */
  newPkcePair(): { verifier: string; codeChallenge: string; codeChallengeMethod: string } {
    const verifier = opaqueToken();
    return { verifier, codeChallenge: hash('sha256', verifier, 'base64url'), codeChallengeMethod: 'S256' };
  }

  /** A token as the server makes it, which is saved nowhere yet. */
  async newToken(more: Partial<Unsaved<Token>> = {}): Promise<Unsaved<Token>> {
    const [client, user, scope] = [await this.client(), await this.user(), this.scope()];
    const grantId = this.newGrantId();
    const sent: Unsaved<Token> = {
      accessToken: await generateAccessToken(this.model, client, user, scope),
      accessTokenExpiresAt: new Date(Date.now() + MINUTE),
      scope,
      ...(grantId && { grantId }),
    };
    if (this.model.getRefreshToken) {
      sent.refreshToken = await generateRefreshToken(this.model, client, user, scope);
      sent.refreshTokenExpiresAt = new Date(Date.now() + 2 * MINUTE);
    }
    return Object.assign(sent, more);
  }

  /** Saves a token as the server would; resolves to what it handed over and what the model made of it. */
  async saveToken(more?: Partial<Unsaved<Token>>): Promise<{ sent: Unsaved<Token>; saved: Token }> {
    const sent = await this.newToken(more);
    const saved = await this.model.saveToken(sent, await this.client(), await this.user());
    if (!saved) throw new Error('`saveToken()` returned nothing');
    return { sent, saved };
  }

  /** Saves a code as the server would; a public client has to prove itself by PKCE. */
  async saveCode(more: Partial<Unsaved<AuthorizationCode>> = {}, proven = this.fixture.secret === undefined) {
    const [client, user, scope] = [await this.client(), await this.user(), this.scope()];
    const [redirectUri] = client.redirectUris ?? [];
    const { verifier, ...challenge } = proven ? this.newPkcePair() : {};
    const grantId = this.newGrantId();
    const sent: Unsaved<AuthorizationCode> = {
      authorizationCode: (await this.model.generateAuthorizationCode?.(client, user, scope)) || opaqueToken(),
      expiresAt: new Date(Date.now() + MINUTE),
      scope,
      ...(redirectUri && { redirectUri }),
      ...challenge,
      ...(grantId && { grantId }),
      ...more,
    };
    const saved = await this.model.saveAuthorizationCode!(sent, client, user);
    if (!saved) throw new Error('`saveAuthorizationCode()` returned nothing');
    const held: IssuedCode = { code: saved.authorizationCode, redirectUri: sent.redirectUri, verifier };
    return { sent, saved, held };
  }

  redeem(held: IssuedCode, counter?: TokenRequestOptions): Promise<TokenResponseBody> {
    return this.token({ grant_type: 'authorization_code', ...codeParameters(held) }, counter);
  }

  refresh(refreshToken: string, counter?: TokenRequestOptions): Promise<TokenResponseBody> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken }, counter);
  }

  /** Posts to the token endpoint; rejects with the OAuthError that refuses. */
  async token(
    parameters: Record<string, string | undefined>,
    { server = this.server(), as = this.fixture }: TokenRequestOptions = {},
  ): Promise<TokenResponseBody> {
    const response = new Response();
    await server.token(tokenRequest(as, parameters), response);
    return response.body as TokenResponseBody;
  }

  /** Does the host's server let this access token in? */
  async acceptsAccessToken(accessToken: string): Promise<boolean> {
    const answer = this.server().authenticate(bearerRequest(accessToken), new Response());
    return answer.then(
      () => true,
      () => false,
    );
  }

  /** A good token request, but for its client, by every grant that the model can do. */
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
