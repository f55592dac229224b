import { EventEmitter } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { mcp } from 'nest-oauth2/mcp';
import * as oauth from 'oauth4webapi';
import { decide, openConsentPage } from '../../support/clients/consent.js';
import { freePort } from '../../support/environment/free-port.js';
import { bearer, readResponse } from '../../support/clients/http.js';
import { mcpModule, NOTES } from '../../support/servers/mcp-application.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';

const CALLBACK = 'https://client.example/connector/oauth/callback';
const insecure = { [oauth.allowInsecureRequests]: true };
const documents = new TlsServer();
/** All host names in these tests resolve to this machine, and the feature may connect to it. */
const fetched = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };

/** The client authentication methods that the server reports as supported. */
const SUPPORTED = 'Supported: `none`, `private_key_jwt`';

beforeAll(() => documents.start());
afterAll(() => documents.stop());
afterEach(() => documents.reset());

/** A client whose metadata document has the members of the document of ChatGPT, as of November 2026. */
describe.each(PLATFORMS)('a client like ChatGPT at the MCP server on %s', (platform) => {
  let url: string;
  let as: oauth.AuthorizationServer;
  let key: oauth.PrivateKey;
  let foreignKey: oauth.PrivateKey;
  let client: oauth.Client;
  let count = 0;
  let given: object;
  const refusals: { reason?: string }[] = [];

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const clientIdDocuments = { fetch: fetched, minAge: 0, maxAge: 0, pause: 0 };
    const events = new EventEmitter().on('authorization.refused', (event: object) => refusals.push(event));
    const features = [mcp({ ...NOTES, clientIdDocuments })];
    await startApplication(platform, mcpModule({ issuer: url, features, events }), { port });
    const found = await oauth.discoveryRequest(new URL(url), { algorithm: 'oauth2', ...insecure });
    as = await oauth.processDiscoveryResponse(new URL(url), found);
    const [pair, other] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
    [key, foreignKey] = [
      { key: pair.privateKey, kid: 'signing' },
      { key: other.privateKey, kid: 'signing' },
    ];
    given = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'signing', alg: 'RS256', use: 'sig' }] };
  });
  afterAll(stopApplications);
  beforeEach(() => {
    refusals.length = 0;
    client = { client_id: documents.url(`/${platform}/${count++}/client.json`) };
    documents.replies['/jwks.json'] = json(given);
    publish();
  });

  /** Publishes the metadata document of the client, with changed members. */
  function publish(change: object = {}): void {
    const document = {
      client_id: client.client_id,
      client_name: 'ChatGPT',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code', 'id_token'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: documents.url('/jwks.json'),
      ...change,
    };
    documents.replies[new URL(client.client_id).pathname] = json(document);
  }

  /** Makes the document describe a client without a key, as an attacker who can change it would. */
  const withdrawKey = () =>
    publish({ token_endpoint_auth_method: 'none', token_endpoint_auth_methods_supported: ['none'] });

  const withKey = (used: oauth.PrivateKey = key) => oauth.PrivateKeyJwt(used);

  async function request() {
    const verifier = oauth.generateRandomCodeVerifier();
    const parameters = {
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      scope: 'notes:read',
      state: oauth.generateRandomState(),
      resource: `${url}/mcp`,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    return { verifier, parameters };
  }

  /** Signs alice in and returns a function that redeems the code. */
  async function authorized() {
    const { verifier, parameters } = await request();
    const callback = oauth.validateAuthResponse(
      as,
      client,
      await decide(url, parameters, 'alice', 'allow'),
      parameters.state,
    );
    return async (authentication: oauth.ClientAuth = withKey()) =>
      oauth.processAuthorizationCodeResponse(
        as,
        client,
        await oauth.authorizationCodeGrantRequest(as, client, authentication, callback, CALLBACK, verifier, insecure),
      );
  }

  const obtain = async () => (await authorized())();

  const refresh = async (token: string, authentication: oauth.ClientAuth = withKey()) =>
    oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, authentication, token, insecure),
    );

  async function callTool(token: string): Promise<number> {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_notes' } });
    const response = await fetch(`${url}/mcp`, { method: 'POST', headers: { ...headers, ...bearer(token) }, body });
    return (await readResponse(response)).status;
  }

  it('finds its authentication method and signature algorithm in the server metadata', () => {
    expect(as.token_endpoint_auth_methods_supported).toContain('private_key_jwt');
    expect(as['token_endpoint_auth_signing_alg_values_supported']).toEqual(expect.arrayContaining(['RS256', 'ES256']));
  });

  it('connects with its key, calls a tool, and refreshes its tokens', async () => {
    const tokens = await obtain();
    expect(await callTool(tokens.access_token)).toBe(200);
    const refreshed = await refresh(tokens.refresh_token!);
    expect(await callTool(refreshed.access_token)).toBe(200);
  });

  it.each([
    ['lists the method with a key only as supported', { token_endpoint_auth_method: 'none' }],
    ['sets only the method with a key', { token_endpoint_auth_methods_supported: undefined }],
    ['lists only the supported methods', { token_endpoint_auth_method: undefined }],
    ['prefers a method that the server does not support', { token_endpoint_auth_method: 'tls_client_auth' }],
  ])('must authenticate with its key if its document %s', async (_name, change) => {
    publish(change);
    const redeem = await authorized();
    await expect(redeem(oauth.None())).rejects.toMatchObject({ status: 401 });
    await expect(redeem(withKey(foreignKey))).rejects.toMatchObject({ status: 401 });
    expect(await callTool((await redeem()).access_token)).toBe(200);
  });

  it('connects without a key if its document has none', async () => {
    publish({ jwks_uri: undefined });
    expect(await callTool((await (await authorized())(oauth.None())).access_token)).toBe(200);
  });

  it('cannot redeem a code without its key after its document was changed', async () => {
    const redeem = await authorized();
    withdrawKey();
    await expect(redeem(oauth.None())).rejects.toMatchObject({ error: 'invalid_grant' });
    publish();
    expect(await callTool((await redeem()).access_token)).toBe(200);
  });

  it('cannot refresh without its key after its document was changed, not even within the grace period', async () => {
    const tokens = await obtain();
    withdrawKey();
    await expect(refresh(tokens.refresh_token!, oauth.None())).rejects.toMatchObject({ error: 'invalid_grant' });
    publish();
    const refreshed = await refresh(tokens.refresh_token!);
    withdrawKey();
    for (const { refresh_token } of [tokens, refreshed]) {
      await expect(refresh(refresh_token!, oauth.None())).rejects.toMatchObject({ error: 'invalid_grant' });
    }
    publish();
    expect((await refresh(tokens.refresh_token!)).access_token).toBe(refreshed.access_token);
  });

  it('must use its key from the first refresh on after its document lists one', async () => {
    withdrawKey();
    const tokens = await (await authorized())(oauth.None());
    publish();
    await expect(refresh(tokens.refresh_token!, oauth.None())).rejects.toMatchObject({ status: 401 });
    const refreshed = await refresh(tokens.refresh_token!);
    withdrawKey();
    await expect(refresh(refreshed.refresh_token!, oauth.None())).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it.each([
    [
      'its authentication method',
      { token_endpoint_auth_method: 'client_secret_post', token_endpoint_auth_methods_supported: undefined },
      `\`token_endpoint_auth_method\` has no supported value. Got \`client_secret_post\`. ${SUPPORTED}`,
    ],
    [
      'all of its authentication methods',
      { token_endpoint_auth_method: undefined, token_endpoint_auth_methods_supported: ['tls_client_auth', 'x'] },
      `\`token_endpoint_auth_methods_supported\` has no supported value. Got \`tls_client_auth\`, \`x\`. ${SUPPORTED}`,
    ],
    [
      'all of its response types',
      { response_types: ['id_token'] },
      '`response_types` has no supported value. Got `id_token`. Supported: `code`',
    ],
    [
      'all of its grant types',
      { grant_types: ['password'] },
      '`grant_types` has no supported value. Got `password`. Supported: `authorization_code`, `refresh_token`',
    ],
    [
      'its signature algorithm',
      { token_endpoint_auth_signing_alg: 'none' },
      '`token_endpoint_auth_signing_alg` is not supported. Got `none`',
    ],
  ])(
    'is rejected if the server does not support %s, and the event names member and values',
    async (_name, change, reason) => {
      publish(change);
      const { parameters } = await request();
      expect(await openConsentPage(url, parameters, 'alice')).toMatchObject({ status: 400 });
      expect(refusals.map((event) => event.reason)).toEqual([expect.stringContaining(reason)]);
    },
  );

  it('gets the supported response types if it registers itself instead', async () => {
    const body = {
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token', 'urn:example:unknown'],
      response_types: ['code', 'id_token'],
      token_endpoint_auth_method: 'none',
    };
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/oauth/register`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await readResponse(response)).toMatchObject({
      status: 201,
      body: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    });
  });
});
