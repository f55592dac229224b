import { generateKeyPairSync } from 'node:crypto';

import { type CryptoKey, exportJWK, type JWK, SignJWT } from 'jose';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk: Promise<JWK> = exportJWK(publicKey).then((key) => ({ ...key, kid: 'k1', alg: 'RS256', use: 'sig' }));

/** What an OpenID provider says about a user. */
export type Claims = Record<string, unknown>;

/** An OpenID provider without a network, whose responses a test changes. */
export class StandIn {
  /** The URLs and bodies of all requests, in their order. */
  readonly requests: { url: string; body: string; headers: Headers }[] = [];
  /** Changes of the metadata. */
  metadata: Claims = {};
  /** Changes of the claims of each ID token. */
  changes: Claims = {};
  /** The UserInfo response. If `undefined`, the provider has no such endpoint. */
  userInfo: Claims | undefined;
  /** Responds instead of the provider. */
  reply: ((url: string) => Response | undefined) | undefined;
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
    this.requests.push({ url, body, headers: new Headers(init.headers) });
    const { pathname } = new URL(url);
    const replied = this.reply?.(url);
    if (replied) return replied;
    if (pathname.endsWith('/.well-known/openid-configuration')) return Response.json(this.document());
    if (pathname === '/jwks') return Response.json({ keys: [await jwk] });
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
      ...(this.userInfo && { userinfo_endpoint: at('/userinfo') }),
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      ...this.metadata,
    };
  }

  private async token(form: URLSearchParams): Promise<Response> {
    const found = this.codes.get(form.get('code') ?? '');
    const { createHash } = await import('node:crypto');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!found || found.challenge !== challenge) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    this.codes.delete(form.get('code')!);
    const now = Math.floor(Date.now() / 1000);
    const idToken = await new SignJWT({
      iss: this.issuer,
      aud: found.clientId,
      nonce: found.nonce,
      iat: now,
      exp: now + 60,
      ...found.claims,
      ...this.changes,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(this.key);
    return Response.json({ access_token: 'their-access-token', token_type: 'Bearer', id_token: idToken });
  }
}
