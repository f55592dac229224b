import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  exchangeJwtAuthGrant,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { OAuth2Module } from 'nest-oauth2';
import { serverMetadata, tokenExchange } from 'nest-oauth2/features';
import { type AssertionClaims, dpop, jwtBearer, keys } from 'nest-oauth2/jose';
import { mcp } from 'nest-oauth2/mcp';
import { type AssertionRequest, identityAssertions, openid as openidFeature } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { pageOf } from '../../support/clients/consent.js';
import { DemoInteraction, SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { type HttpResponse, readResponse, get, post } from '../../support/clients/http.js';
import { mcpModule, NOTES } from '../../support/servers/mcp-application.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { EC } from '../../support/servers/openid-server.js';

// A user signs in at the identity provider. An MCP client then uses their MCP server without asking them again. MCP
// calls this enterprise-managed authorization. The client of the MCP SDK drives the test.

const CALLBACK = 'https://wiki.example/callback';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const execute = [openid.allowInsecureRequests];
const insecure = { [oauth.allowInsecureRequests]: true };

describe.each(ANY_PLATFORM)('cross-app access on %s', (platform) => {
  let idp: string;
  let notes: string;
  let requested: AssertionRequest[];
  let isAllowed: boolean;

  beforeAll(async () => {
    const [idpPort, notesPort] = [await freePort(), await freePort()];
    idp = `http://127.0.0.1:${idpPort}`;
    notes = `http://127.0.0.1:${notesPort}`;
    requested = [];
    isAllowed = true;

    class IdentityProvider extends MemoryStore {
      findAssertedUser({ iss, sub }: AssertionClaims) {
        return iss === idp && { id: sub };
      }
      getClaims() {
        return {};
      }
      mayAssert(request: AssertionRequest) {
        requested.push(request);
        // The MCP client passes the URL of the server. Its library may have appended a slash.
        const isKnown = request.audience.replace(/\/$/, '') === notes;
        if (!isAllowed || !isKnown) return false;
        return { clientId: 'wiki-at-notes', scope: 'notes:read', claims: { email: 'alice@example.com' } };
      }
    }
    const known = { secret: 'wiki-secret', redirectUris: [CALLBACK], scopes: ['openid'] };
    const clients = [{ ...known, id: 'wiki', grants: ['authorization_code', EXCHANGE] }];
    const findById = (id: string) => ({ id });
    const users = { findById, findByCredentials: () => null };
    const features = [
      keys({ from: [EC] }),
      openidFeature({ alg: 'ES256' }),
      tokenExchange(),
      identityAssertions(),
      serverMetadata(),
      dpop(),
    ];
    const interaction = { interaction: DemoInteraction, secret: SECRET };
    const model = new IdentityProvider({ clients, users });
    const imports = [OAuth2Module.forRoot({ model, issuer: idp, features, ...interaction })];
    await startApplication(platform, { imports }, { port: idpPort });

    class NotesStore extends MemoryStore {
      findAssertedUser({ iss, sub, email }: AssertionClaims) {
        return iss === idp && email === 'alice@example.com' && { id: `acme ${sub}` };
      }
    }
    const client = { secret: 'notes-secret', grants: [BEARER], scopes: NOTES.scopes, defaultScope: ['notes:read'] };
    const there = new NotesStore({
      clients: [
        { ...client, id: 'wiki-at-notes' },
        { ...client, id: 'mallory' },
      ],
      users: { findById, findByCredentials: () => null },
    });
    const redeeming = jwtBearer({ issuers: [{ issuer: idp, profile: 'id-jag' }] });
    const options = { model: there, issuer: notes, features: [mcp(NOTES), redeeming, dpop()] };
    await startApplication(platform, mcpModule(options), { port: notesPort });
  });
  afterAll(stopApplications);

  /** Agrees on the consent page, which is skipped if the user has agreed before. */
  async function agreed(opened: HttpResponse, url: URL): Promise<HttpResponse> {
    if (opened.status !== 200) return opened;
    const { action, csrf_token: csrfToken } = pageOf(opened);
    return await readResponse(
      post(new URL(action, url).href, { csrf_token: csrfToken, decision: 'allow' }, { cookie: 'user=alice' }),
    );
  }

  /** Signs Alice in at the client and returns her ID token. */
  async function signIn(): Promise<string> {
    const config = await openid.discovery(new URL(idp), 'wiki', { client_secret: 'wiki-secret' }, undefined, {
      execute,
    });
    const verifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid',
      state: 'state',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const cookie = { cookie: 'user=alice' };
    const opened = await readResponse(get(url.href, cookie));
    const landed = new URL(String((await agreed(opened, url)).headers['location']));
    const checks = { pkceCodeVerifier: verifier, expectedState: 'state', idTokenExpected: true };
    return (await openid.authorizationCodeGrant(config, landed, checks)).id_token!;
  }

  const request = (idToken: string, more: object = {}) => ({
    idpUrl: idp,
    audience: notes,
    resource: `${notes}/mcp`,
    idToken,
    clientId: 'wiki',
    clientSecret: 'wiki-secret',
    scope: 'notes:read notes:write',
    ...more,
  });

  it('lets an MCP client use a tool as the user who signed in at the identity provider', async () => {
    const idToken = await signIn();
    const provider = new CrossAppAccessProvider({
      assertion: async ({ authorizationServerUrl: audience, resourceUrl: resource, scope = '', fetchFn }) => {
        const asking = request(idToken, { audience, resource, scope, fetchFn });
        return (await discoverAndRequestJwtAuthGrant(asking)).jwtAuthGrant;
      },
      clientId: 'wiki-at-notes',
      clientSecret: 'notes-secret',
      expectedIssuer: notes,
    });
    const client = new Client({ name: 'wiki', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${notes}/mcp`), { authProvider: provider }));
    const { content } = await client.callTool({ name: 'list_notes' });
    expect(content).toEqual([{ type: 'text', text: 'Follow the white rabbit' }]);
    await client.close();
    expect(provider.tokens()).toMatchObject({ token_type: 'Bearer', scope: 'notes:read' });
    expect(provider.tokens()).not.toHaveProperty('refresh_token');
    const [{ subject, resource, client: asking }] = requested as [AssertionRequest];
    expect([subject.user.id, resource, asking.id]).toEqual(['alice', [`${notes}/mcp`], 'wiki']);
  });

  it('is announced in the metadata of both servers', async () => {
    const read = async (url: string) =>
      (await readResponse(get(`${url}/.well-known/oauth-authorization-server`))).body as Record<string, unknown>;
    expect(await read(idp)).toMatchObject({ identity_chaining_requested_token_types_supported: [ID_JAG] });
    expect(await read(notes)).toMatchObject({
      authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
      grant_types_supported: expect.arrayContaining([BEARER]),
    });
  });

  const redeem = (jwtAuthGrant: string, clientId = 'wiki-at-notes') =>
    exchangeJwtAuthGrant({
      tokenEndpoint: `${notes}/oauth/token`,
      jwtAuthGrant,
      clientId,
      clientSecret: 'notes-secret',
    });

  it('issues an assertion that can be redeemed once and only by its client', async () => {
    const { jwtAuthGrant, expiresIn, scope } = await discoverAndRequestJwtAuthGrant(request(await signIn()));
    expect([expiresIn, scope]).toEqual([expect.closeTo(300, -1), 'notes:read']);
    const claims = decodeJwt(jwtAuthGrant);
    expect(claims).toMatchObject({ aud: notes, client_id: 'wiki-at-notes', resource: `${notes}/mcp`, sub: 'alice' });
    await expect(redeem(jwtAuthGrant, 'mallory')).rejects.toThrow(/invalid_grant/);
    expect(await redeem(jwtAuthGrant)).toMatchObject({ token_type: 'Bearer', scope: 'notes:read' });
    await expect(redeem(jwtAuthGrant)).rejects.toThrow(/invalid_grant/);
  });

  it('rejects ID tokens as grants, and requests for other audiences or clients', async () => {
    const idToken = await signIn();
    await expect(redeem(idToken)).rejects.toThrow(/invalid_grant/);
    const elsewhere = request(idToken, { audience: 'https://mail.example' });
    await expect(discoverAndRequestJwtAuthGrant(elsewhere)).rejects.toThrow(/invalid_target/);
    isAllowed = false;
    await expect(discoverAndRequestJwtAuthGrant(request(idToken))).rejects.toThrow(/invalid_target/);
    isAllowed = true;
  });

  it('binds the assertion to a DPoP key, which is required to redeem it', async () => {
    const idToken = await signIn();
    const [as, there] = [
      { issuer: idp, token_endpoint: `${idp}/oauth/token` },
      { issuer: notes, token_endpoint: `${notes}/oauth/token` },
    ];
    const wiki = { client_id: 'wiki' };
    const key = await oauth.generateKeyPair('ES256');
    const form = {
      requested_token_type: ID_JAG,
      subject_token: idToken,
      subject_token_type: ID_TOKEN,
      audience: notes,
      resource: `${notes}/mcp`,
    };
    const bound = async () => {
      const secret = oauth.ClientSecretBasic('wiki-secret');
      const DPoP = oauth.DPoP({}, key);
      const response = await oauth.genericTokenEndpointRequest(as, wiki, secret, EXCHANGE, form, { DPoP, ...insecure });
      const body = (await response.json()) as { access_token: string; token_type: string };
      expect(body.token_type).toBe('N_A');
      expect(decodeJwt(body.access_token)).toMatchObject({ cnf: { jkt: expect.any(String) } });
      return body.access_token;
    };
    const redeemWith = async (assertion: string, shown?: oauth.CryptoKeyPair) => {
      const me = { client_id: 'wiki-at-notes' };
      const secret = oauth.ClientSecretBasic('notes-secret');
      const options = { ...insecure, ...(shown && { DPoP: oauth.DPoP({}, shown) }) };
      const response = await oauth.genericTokenEndpointRequest(there, me, secret, BEARER, { assertion }, options);
      return (await response.json()) as object;
    };
    const assertion = await bound();
    expect(await redeemWith(assertion)).toMatchObject({ error: 'invalid_grant' });
    expect(await redeemWith(assertion, await oauth.generateKeyPair('ES256'))).toMatchObject({ error: 'invalid_grant' });
    expect(await redeemWith(assertion, key)).toMatchObject({ token_type: 'DPoP' });
  });
});
