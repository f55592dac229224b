import { createHash, randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { type CryptoKey, SignJWT } from 'jose';
import { agree } from '../../support/clients/consent.js';
import { basic, bearer, post, readResponse } from '../../support/clients/http.js';
import type { ClientRow, DiscoveryStep } from './client-rows.js';

interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
}

interface Metadata extends Record<string, unknown> {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  registration_endpoint: string;
  revocation_endpoint?: string;
  scopes_supported?: string[];
}

/** The client ID and the credentials of a client. */
interface Identity {
  id: string;
  secret?: string;
  key?: CryptoKey;
}

/** Runs one client of the table against an MCP server, request by request as the client sends them. */
export class ClientRun {
  metadata!: Metadata;
  /** The metadata of the MCP endpoint. */
  resource!: { resource: string; authorization_servers: [string]; scopes_supported: string[] };
  private identity!: Identity;
  private challengedScope = '';

  constructor(
    private readonly row: ClientRow,
    private readonly endpoint: string,
  ) {}

  /** Sends the discovery requests of the client. */
  async discover(): Promise<void> {
    for (const step of this.row.discovery) await this.take(step);
    equal(this.metadata.issuer, this.resource.authorization_servers[0]);
    equal(this.resource.resource, this.endpoint);
  }

  private async take(step: DiscoveryStep): Promise<void> {
    if (step === 'challenge' || step === 'head-challenge') {
      const challenged = await (step === 'challenge'
        ? this.call('list_notes')
        : fetch(this.endpoint, { method: 'HEAD' }));
      equal(challenged.status, 401);
      this.challengedScope = parameterOf(challenged, 'scope');
      this.resource = (await getJson(parameterOf(challenged, 'resource_metadata'))) as never;
      return;
    }
    const issuer = new URL(this.resource.authorization_servers[0]);
    const path = issuer.pathname === '/' ? '' : issuer.pathname;
    if (step === 'server') {
      this.metadata = (await getJson(`${issuer.origin}/.well-known/oauth-authorization-server${path}`)) as Metadata;
      return;
    }
    // Without openid(), the server has no such document. The client continues with the OAuth metadata.
    const { status } = await fetch(`${issuer.origin}${path}/.well-known/openid-configuration`);
    equal([200, 404].includes(status), true);
  }

  /** Returns the scope of the first request. */
  get firstScope(): string {
    if (this.row.scope === 'challenge') return this.challengedScope;
    return (this.row.scope === 'resource' ? this.resource : this.metadata).scopes_supported!.join(' ');
  }

  /** Uses the metadata document of the client, or registers the client. */
  async identify(documentUrl: string, key: CryptoKey): Promise<void> {
    const { document, registration } = this.row;
    if (document) {
      this.identity = { id: documentUrl, ...(document.jwks_uri !== undefined && { key }) };
      return;
    }
    const response = await fetch(this.metadata.registration_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(registration).replace('{scope}', this.firstScope),
    });
    equal(response.status, 201);
    const registered = (await response.json()) as {
      client_id: string;
      client_secret?: string;
      redirect_uris: string[];
    };
    const { client_id: id, client_secret: secret, redirect_uris: uris } = registered;
    equal(uris, registration!['redirect_uris']);
    this.identity = { id, ...(secret !== undefined && { secret }) };
  }

  /** Signs alice in, who allows the scope, and redeems the code. */
  async authorize(scope: string): Promise<Tokens> {
    const verifier = randomBytes(32).toString('base64url');
    const state = randomBytes(16).toString('base64url');
    const { redirectUri: redirect_uri } = this.row;
    const requested = new URL(this.metadata.authorization_endpoint);
    const parameters = {
      response_type: 'code',
      client_id: this.identity.id,
      redirect_uri,
      scope,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: this.resource.resource,
    };
    requested.search = new URLSearchParams(parameters).toString();
    const landed = await agree(requested);
    equal(landed.href.startsWith(redirect_uri), true);
    const { code, ...rest } = Object.fromEntries(landed.searchParams);
    equal(rest, { state, iss: this.metadata.issuer });
    return this.token({ grant_type: 'authorization_code', code: code!, redirect_uri, code_verifier: verifier });
  }

  /** Redeems a refresh token. */
  refresh(tokens: Tokens): Promise<Tokens> {
    return this.token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
  }

  private async token(form: Record<string, string>): Promise<Tokens> {
    const { status, body } = await this.send(this.metadata.token_endpoint, {
      ...form,
      resource: this.resource.resource,
    });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as Tokens;
  }

  /** Sends a form with the credentials of the client. */
  private async send(url: string, form: Record<string, string>) {
    const { id, secret, key } = this.identity;
    if (secret !== undefined) return readResponse(post(url, form, basic(id, secret)));
    const assertion = key && {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await this.assertion(id, key),
    };
    return readResponse(post(url, { ...form, client_id: id, ...assertion }));
  }

  private assertion = (id: string, key: CryptoKey) =>
    new SignJWT({ jti: randomBytes(16).toString('hex') })
      .setProtectedHeader({ alg: 'RS256', kid: 'signing' })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(this.metadata.issuer)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(key);

  /** Calls a tool, with an access token if the client has one. */
  call(tool: string, tokens?: Tokens): Promise<Response> {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return fetch(this.endpoint, {
      method: 'POST',
      body: JSON.stringify(message),
      headers: { ...headers, ...(tokens && bearer(tokens.access_token)) },
    });
  }

  /** Calls a tool that requires more scopes, and returns the scope of the challenge. */
  async challenged(tool: string, tokens: Tokens): Promise<string> {
    const refused = await this.call(tool, tokens);
    equal([refused.status, parameterOf(refused, 'error')], [403, 'insufficient_scope']);
    return parameterOf(refused, 'scope');
  }

  /** Revokes both tokens of the client, as Claude Code does. Returns `false` if the server has no such endpoint. */
  async revoke(tokens: Tokens): Promise<boolean> {
    const { revocation_endpoint: url } = this.metadata;
    if (url === undefined) return false;
    for (const token of [tokens.refresh_token, tokens.access_token]) {
      equal((await this.send(url, { token })).status, 200);
    }
    return true;
  }

  get clientId(): string {
    return this.identity.id;
  }
}

const equal = (actual: unknown, expected: unknown) => expect(actual).toEqual(expected);

/** Returns a parameter of the challenge in a response. */
function parameterOf({ headers }: Response, name: string): string {
  const challenge = headers.get('www-authenticate') ?? '';
  return new RegExp(`[ ,]${name}="([^"]*)"`).exec(challenge)?.[1] ?? `no ${name} in ${challenge}`;
}

async function getJson(url: string): Promise<unknown> {
  // VS Code sends this header with each metadata request.
  const response = await fetch(url, { headers: { 'mcp-protocol-version': '2026-07-28' } });
  expect([url, response.status]).toEqual([url, 200]);
  return response.json();
}
