import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importJWK, SignJWT } from 'jose';
import { OAuth2Module } from 'nest-oauth2';
import { tokenExchange } from 'nest-oauth2/features';
import { type AssertionClaims, keys } from 'nest-oauth2/jose';
import { mcp, type McpOptions } from 'nest-oauth2/mcp';
import { type AssertionRequest, identityAssertions, openid } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { ForeignIssuer } from '../../support/servers/foreign-issuer.js';
import { freePort } from '../../support/environment/free-port.js';
import { bearer, get, post, readResponse } from '../../support/clients/http.js';
import { mcpModule, NOTES } from '../../support/servers/mcp-application.js';
import { EC } from '../../support/servers/openid-server.js';
import { forRootError } from '../../support/servers/start-up-error.js';
import {
  type Platform,
  PLATFORMS,
  startApplication,
  stopApplications,
} from '../../support/servers/test-application.js';

const BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const CALLBACK = 'https://claude.ai/api/mcp/auth_callback';

/** The document of Claude, as in `test/src/mcp-clients/clients.json`. */
const CLAUDE = 'https://claude.ai/oauth/mcp-oauth-client-metadata';
const claude = {
  client_id: CLAUDE,
  client_name: 'Claude',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token', BEARER],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};
/** A document that does not list the grant. */
const OTHER = 'https://other.example/client';
const other = { ...claude, client_id: OTHER, client_name: 'Other', grant_types: ['authorization_code'] };
/** A document of a client that never opens a browser. */
const AGENT = 'https://agent.example/client';
const agent = { client_id: AGENT, client_name: 'Agent', grant_types: [BEARER], response_types: [], redirect_uris: [] };

/** The provider of the SDK, which assumes a secret, for a client without one. */
class PublicProvider extends CrossAppAccessProvider {
  override clientInformation() {
    return { client_id: CLAUDE, issuer: super.clientInformation().issuer } as never;
  }
  override get clientMetadata() {
    return { ...super.clientMetadata, token_endpoint_auth_method: 'none' };
  }
}

class NotesStore extends MemoryStore {
  readonly requested: AssertionClaims[] = [];

  findAssertedUser(claims: AssertionClaims) {
    this.requested.push(claims);
    return { id: `acme ${claims.sub}` };
  }
}

const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };

/** Starts an MCP server that is its own authorization server. */
async function startNotes(platform: Platform, enterprise: McpOptions['enterprise'], more: McpOptions = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const known = { secret: 'notes-secret', grants: [BEARER], scopes: NOTES.scopes, defaultScope: ['notes:read'] };
  const open = { ...known, id: 'open', secret: undefined, tokenEndpointAuthMethod: 'none' };
  const store = new NotesStore({ clients: [{ ...known, id: 'vs-code' }, open] as never, users });
  const pinned = enterprise ? [claude, other, agent] : [claude];
  const features = [mcp({ ...NOTES, clientIdDocuments: { pinned }, ...(enterprise && { enterprise }), ...more })];
  await startApplication(platform, mcpModule({ model: store, issuer: url, features }), { port });
  const redeem = async (form: Record<string, string>) =>
    (await readResponse(post(`${url}/oauth/token`, { grant_type: BEARER, ...form }))) as {
      status: number;
      body: Record<string, unknown>;
    };
  return { url, endpoint: `${url}/mcp`, store, redeem };
}

describe.each(PLATFORMS)('`mcp({ enterprise })` on %s', (platform) => {
  const IDP = 'https://acme.idp.example';
  let idp: ForeignIssuer;
  let notes: Awaited<ReturnType<typeof startNotes>>;

  beforeAll(async () => {
    idp = await ForeignIssuer.make(IDP);
    notes = await startNotes(platform, { issuers: [{ issuer: IDP, jwks: idp.jwks, tenants: ['acme'] }] });
  });
  afterAll(stopApplications);

  /** Signs an identity assertion for a client. ID-JAG §3.1 */
  const assertionFor = (client: string, claims: object = {}) =>
    idp.sign(
      {
        sub: 'alice',
        aud: notes.url,
        client_id: client,
        resource: notes.endpoint,
        scope: 'notes:read notes:write',
        tenant: 'acme',
        ...claims,
      },
      { typ: 'oauth-id-jag+jwt' },
    );

  const callWith = async (token: unknown) =>
    (
      await fetch(notes.endpoint, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        headers: {
          ...bearer(String(token)),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      })
    ).status;

  it('redeems the assertion of a public document client that lists the grant, as Claude sends it', async () => {
    const { status, body } = await notes.redeem({ assertion: await assertionFor(CLAUDE), client_id: CLAUDE });
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: expect.any(Number),
        scope: 'notes:read notes:write',
      },
    ]);
    expect(await callWith(body['access_token'])).toBe(200);
  });

  it('redeems the assertion of a client with a secret in its settings, as VS Code sends it', async () => {
    const form = { client_id: 'vs-code', client_secret: 'notes-secret', scope: 'notes:read' };
    const { status, body } = await notes.redeem({ assertion: await assertionFor('vs-code'), ...form });
    expect([status, body['scope']]).toEqual([200, 'notes:read']);
    expect(await callWith(body['access_token'])).toBe(200);
  });

  it('redeems the assertion of a document client without redirect URI', async () => {
    const { status, body } = await notes.redeem({ assertion: await assertionFor(AGENT), client_id: AGENT });
    expect([status, body['scope']]).toEqual([200, 'notes:read notes:write']);
  });

  it.each([
    ['a document client that does not list the grant', OTHER],
    ['a public client that is no document client', 'open'],
  ])('rejects %s', async (_what, client) => {
    const { status, body } = await notes.redeem({ assertion: await assertionFor(client), client_id: client });
    expect([status, body['error']]).toEqual([400, 'unauthorized_client']);
  });

  it.each<[string, object]>([
    ['for another server', { aud: 'https://other.example' }],
    ['for a resource of another server', { resource: 'https://other.example/mcp' }],
    ['for this server and one of another server', { resource: ['https://other.example/mcp', 'SELF'] }],
    ['of another client', { client_id: 'vs-code' }],
    ['of another organization of the provider', { tenant: 'umbrella' }],
    ['without an organization', { tenant: undefined }],
    ['without `jti`', { jti: undefined }],
  ])('rejects an assertion %s', async (_what, claims) => {
    const given = JSON.parse(JSON.stringify(claims).replace('SELF', notes.endpoint)) as object;
    const assertion = await assertionFor(CLAUDE, { ...claims, ...given });
    const { status, body } = await notes.redeem({ assertion, client_id: CLAUDE });
    expect([status, body['error']]).toEqual([400, 'invalid_grant']);
  });

  it('redeems an assertion once', async () => {
    const form = { assertion: await assertionFor(CLAUDE), client_id: CLAUDE };
    expect((await notes.redeem(form)).status).toBe(200);
    expect((await notes.redeem(form)).body['error']).toBe('invalid_grant');
  });

  it('restricts the token to the MCP endpoint if the assertion contains no resource', async () => {
    const assertion = await assertionFor(CLAUDE, { resource: undefined });
    const { body } = await notes.redeem({ assertion, client_id: CLAUDE });
    expect(await callWith(body['access_token'])).toBe(200);
    const several = await startNotes(
      platform,
      { issuers: [{ issuer: IDP, jwks: idp.jwks }] },
      { resource: ['/mcp', '/admin/mcp'] },
    );
    const unclear = await assertionFor(CLAUDE, { aud: several.url, resource: undefined });
    expect((await several.redeem({ assertion: unclear, client_id: CLAUDE })).body['error']).toBe('invalid_grant');
    const clear = await assertionFor(CLAUDE, { aud: several.url, resource: several.endpoint });
    expect((await several.redeem({ assertion: clear, client_id: CLAUDE })).status).toBe(200);
  });

  it('passes the tenant claims and the actor to the model', async () => {
    const said = { aud_tenant: 't1', aud_sub: 'u1', act: { sub: 'agent' }, email: 'alice@acme.example' };
    await notes.redeem({ assertion: await assertionFor(CLAUDE, said), client_id: CLAUDE });
    expect(notes.store.requested.at(-1)).toMatchObject({ iss: IDP, sub: 'alice', tenant: 'acme', ...said });
  });

  it('accepts only authenticated clients with `clients: confidential`', async () => {
    const strict = await startNotes(platform, {
      issuers: [{ issuer: IDP, jwks: idp.jwks }],
      clients: 'confidential',
    });
    const assertion = await assertionFor(CLAUDE, { aud: strict.url, resource: strict.endpoint });
    expect((await strict.redeem({ assertion, client_id: CLAUDE })).body['error']).toBe('unauthorized_client');
  });

  it('is announced in the metadata, and only with the option', async () => {
    const read = async (url: string) =>
      (await readResponse(get(`${url}/.well-known/oauth-authorization-server`))).body as Record<string, unknown>;
    expect(await read(notes.url)).toMatchObject({
      authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
      grant_types_supported: expect.arrayContaining([BEARER]),
    });
    const without = await startNotes(platform, undefined);
    expect((await read(without.url))['grant_types_supported']).not.toContain(BEARER);
    const assertion = await assertionFor(CLAUDE, { aud: without.url });
    expect((await without.redeem({ assertion, client_id: CLAUDE })).body['error']).toBe('unsupported_grant_type');
  });
});

describe.each(PLATFORMS)('an identity provider and an MCP server of this library on %s', (platform) => {
  let idp: string;
  let notes: Awaited<ReturnType<typeof startNotes>>;

  beforeAll(async () => {
    const port = await freePort();
    idp = `http://127.0.0.1:${port}`;
    notes = await startNotes(platform, { issuers: [{ issuer: idp }] });

    class IdentityProvider extends MemoryStore {
      findAssertedUser = ({ sub }: AssertionClaims) => ({ id: sub });
      getClaims = () => ({});
      mayExchange = () => true;
      // The audience and the resource must belong together. MCP Enterprise-Managed Authorization §7.6.1
      mayAssert = ({ audience, resource }: AssertionRequest) =>
        audience.replace(/\/$/, '') === notes.url && resource.every((uri) => uri === notes.endpoint);
    }
    const grants = ['authorization_code', 'client_credentials', EXCHANGE];
    const scopes = ['openid', 'notes:read'];
    const clients = [{ id: CLAUDE, secret: 'idp-secret', redirectUris: [CALLBACK], scopes, grants }];
    const features = [keys({ from: [EC] }), openid({ alg: 'ES256' }), tokenExchange(), identityAssertions()];
    const model = new IdentityProvider({ clients, users });
    const module = OAuth2Module.forRoot({ model, issuer: idp, features, interaction: DemoInteraction, secret: SECRET });
    await startApplication(platform, { imports: [module] }, { port });
  });
  afterAll(stopApplications);

  /** Signs an ID token as the identity provider issues it after the single sign-on. */
  const idToken = async () =>
    new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ alg: 'ES256', kid: 'ec' })
      .setIssuer(idp)
      .setAudience(CLAUDE)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(await importJWK(EC as object, 'ES256'));

  it('let the client of the official SDK call a tool without a consent page', async () => {
    const provider = new PublicProvider({
      assertion: async ({ authorizationServerUrl: audience, resourceUrl: resource, scope, fetchFn }) => {
        const request = { idpUrl: idp, audience, resource, idToken: await idToken(), clientId: CLAUDE };
        const answer = await discoverAndRequestJwtAuthGrant({
          ...request,
          clientSecret: 'idp-secret',
          ...(scope !== undefined && { scope }),
          fetchFn,
        });
        return answer.jwtAuthGrant;
      },
      clientId: CLAUDE,
      clientSecret: '',
      expectedIssuer: notes.url,
    });
    const client = new Client({ name: 'claude', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(notes.endpoint), { authProvider: provider }));
    const { content } = await client.callTool({ name: 'list_notes' });
    expect(content).toEqual([{ type: 'text', text: 'Follow the white rabbit' }]);
    await client.close();
  });

  it('pass the actor of an `actor_token` from the exchange to the MCP server', async () => {
    const token = async (form: Record<string, string>) =>
      (await readResponse(post(`${idp}/oauth/token`, { client_id: CLAUDE, client_secret: 'idp-secret', ...form })))
        .body as Record<string, string>;
    const actor = await token({ grant_type: 'client_credentials', scope: 'notes:read' });
    const answer = await token({
      grant_type: EXCHANGE,
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      subject_token: await idToken(),
      subject_token_type: ID_TOKEN,
      actor_token: actor['access_token']!,
      actor_token_type: ACCESS_TOKEN,
      audience: notes.url,
      resource: notes.endpoint,
      scope: 'notes:read',
    });
    const redeemed = await notes.redeem({ assertion: answer['access_token']!, client_id: CLAUDE });
    expect(redeemed.status).toBe(200);
    expect(notes.store.requested.at(-1)).toMatchObject({ sub: 'alice', act: { sub: CLAUDE } });
  });

  it('refuse an assertion whose resource does not belong to its audience', async () => {
    const request = { idpUrl: idp, audience: notes.url, resource: 'https://other.example/mcp', clientId: CLAUDE };
    const asking = discoverAndRequestJwtAuthGrant({
      ...request,
      clientSecret: 'idp-secret',
      idToken: await idToken(),
    });
    await expect(asking).rejects.toThrow(/invalid_target/);
  });
});

describe('the option `enterprise` of `mcp()`', () => {
  const issuer = 'https://mcp.example';

  it.each<[object | null, RegExp]>([
    [{ issuers: 'https://acme.idp.example' }, /`issuers` in `enterprise` of `mcp\(\)` must be a list/],
    [{ issuers: [], clients: 'all' }, /`clients` in `enterprise` of `mcp\(\)`/],
    [{ issuer: 'https://acme.idp.example' }, /unknown option `issuer` (?:of|in) `enterprise` of `mcp\(\)`/],
    [{ issuers: [{ issuer: 'https://acme.idp.example', tenants: 'acme' }] }, /`tenants` of an issuer/],
  ])('rejects %j', (enterprise, message) => {
    expect(() => mcp({ enterprise: enterprise as never })).toThrow(message);
  });

  it('requires a method of the model that finds the user', async () => {
    const features = [mcp({ enterprise: { issuers: [{ issuer: 'https://acme.idp.example' }] } })];
    const model = new MemoryStore({ users });
    const options = { model, issuer, features, interaction: DemoInteraction, secret: SECRET };
    expect(await forRootError(options)).toMatch(/findAssertedUser/);
  });
});
