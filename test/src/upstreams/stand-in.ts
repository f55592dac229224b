import { generateKeyPairSync } from 'node:crypto';

import { type CryptoKey, exportJWK, type JWK, SignJWT } from 'jose';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk: Promise<JWK> = exportJWK(publicKey).then((key) => ({ ...key, kid: 'k1', alg: 'RS256', use: 'sig' }));

/** The claims of an OpenID provider about a user. */
export type Claims = Record<string, unknown>;

/** An OpenID provider without a network, whose responses a test changes. */
export class StandIn {
  /** The URLs and bodies of all requests, in their order. */
  readonly requests: { method: string; url: string; body: string; headers: Headers }[] = [];
  /** Changes of the metadata. */
  metadata: Claims = {};
  /** Changes of the claims of each ID token. */
  changes: Claims = {};
  /** The UserInfo response. If `undefined`, the provider has no such endpoint. */
  userInfo: Claims | undefined;
  /** Responds instead of the provider. */
  reply: ((url: string) => Response | undefined | Promise<Response | undefined>) | undefined;
  /** Members of each token response, such as `expires_in`. With `refresh_token: true`, it has a new refresh token. */
  issues: Claims = {};
  /** The number of tokens that were refreshed. */
  refreshes = 0;
  /** Whether the response to a refresh request has an ID token. */
  idTokenOnRefresh = false;
  /** The texts of the tokens that were revoked. */
  readonly revoked: string[] = [];
  /** The users of the refresh tokens that can be used. Each is rotated when it is used. */
  readonly refreshTokens = new Map<string, { claims: Claims; clientId: string }>();
  /** The key that signs ID tokens. */
  key: CryptoKey | typeof privateKey = privateKey;
  private readonly codes = new Map<string, { nonce: string; challenge: string; claims: Claims; clientId: string }>();

  constructor(readonly issuer: string) {}

  /** Signs a user in for an authorization request, and returns the path and query of the response. */
  respond(location: string | null, claims: Claims, changes: Record<string, string> = {}): string {
    const { searchParams } = new URL(location!);
    const code = `code-${this.codes.size}-${Math.random()}`;
    this.codes.set(code, {
      nonce: searchParams.get('nonce')!,
      challenge: searchParams.get('code_challenge')!,
      clientId: searchParams.get('client_id')!,
      claims,
    });
    const { pathname } = new URL(searchParams.get('redirect_uri')!);
    return `${pathname}?${new URLSearchParams({ code, state: searchParams.get('state')!, ...changes }).toString()}`;
  }

  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const body = init.body === undefined || init.body === null ? '' : String(init.body as string);
    this.requests.push({ method: init.method ?? 'GET', url, body, headers: new Headers(init.headers) });
    const { pathname } = new URL(url);
    const replied = await this.reply?.(url);
    if (replied) return replied;
    if (pathname.endsWith('/.well-known/openid-configuration')) return Response.json(this.document());
    if (pathname === '/jwks') return Response.json({ keys: [await jwk] });
    if (pathname === '/revoke') {
      const token = new URLSearchParams(body).get('token')!;
      this.revoked.push(token);
      this.refreshTokens.delete(token);
      return new Response(null, { status: 200 });
    }
    if (pathname === '/api') return Response.json({ token: new Headers(init.headers).get('authorization') });
    if (pathname === '/userinfo') return Response.json(this.userInfo);
    return this.token(new URLSearchParams(body));
  };

  private document() {
    const at = (path: string) => new URL(path, this.issuer).href;
    return {
      issuer: this.issuer,
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      jwks_uri: at('/jwks'),
      revocation_endpoint: at('/revoke'),
      ...(this.userInfo && { userinfo_endpoint: at('/userinfo') }),
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      ...this.metadata,
    };
  }

  private async token(form: URLSearchParams): Promise<Response> {
    if (form.get('grant_type') === 'refresh_token') return this.refresh(form.get('refresh_token')!);
    const found = this.codes.get(form.get('code') ?? '');
    const { createHash } = await import('node:crypto');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!found || found.challenge !== challenge) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    this.codes.delete(form.get('code')!);
    return this.respondWithTokens({ id_token: await this.idToken(found) }, found);
  }

  private async idToken({ claims, ...found }: { claims: Claims; clientId: string; nonce?: string }): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const { clientId: aud, nonce } = found;
    return new SignJWT({ iss: this.issuer, aud, nonce, iat: now, exp: now + 60, ...claims, ...this.changes })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(this.key);
  }

  /** Returns a logout token for the client `us`. Members that are `undefined` are left out. */
  async logoutToken(claims: Claims, header: object = { typ: 'logout+jwt' }, key = this.key): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const common = { iss: this.issuer, aud: 'us', iat: now, exp: now + 120, jti: String(Math.random()), events };
    return new SignJWT({ ...common, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header }).sign(key);
  }

  private async refresh(used: string): Promise<Response> {
    const found = this.refreshTokens.get(used);
    if (!found) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    this.refreshTokens.delete(used);
    this.refreshes += 1;
    const more = this.idTokenOnRefresh ? { id_token: await this.idToken(found) } : {};
    return this.respondWithTokens({ access_token: `refreshed-${this.refreshes}`, ...more }, found);
  }

  private respondWithTokens(more: Claims, { claims, clientId }: { claims: Claims; clientId: string }): Response {
    const { refresh_token: isRefreshable, ...issues } = this.issues;
    const refreshToken = isRefreshable === true && `refresh-${Math.random()}`;
    if (refreshToken) this.refreshTokens.set(refreshToken, { claims, clientId });
    return Response.json({
      access_token: 'their-access-token',
      token_type: 'Bearer',
      ...issues,
      ...(refreshToken && { refresh_token: refreshToken }),
      ...more,
    });
  }
}
