import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { OAuth2Module } from 'nest-oauth2';
import { mcp } from 'nest-oauth2/mcp';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';
import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { basic, post, readResponse } from '../../support/clients/http.js';
import { McpController, NOTES } from '../../support/servers/mcp-application.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { CERTIFICATE, json, TlsServer } from '../../support/servers/tls-server.js';
import { PageBrowser } from '../pages/page-browser.js';

const documents = new TlsServer();
/** All host names in these tests resolve to this machine, and the feature may connect to it. */
const fetched = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'], ca: CERTIFICATE };
const alice = { id: 'alice', name: 'Alice' };
const METADATA = { grant_types: ['authorization_code'], client_name: 'Assistant', scope: 'notes:read' };

beforeAll(() => documents.start());
afterAll(() => documents.stop());
afterEach(() => documents.reset());

/**
 * All users of a hosted assistant share its client ID. The assistant sends a code to the authorization server of the
 * MCP server that the user wants to connect to, and does not compare `iss`.
 *
 * The attack: the user connects the assistant to a malicious MCP server. Its authorization endpoint redirects the
 * browser to the honest server, with the same PKCE challenge. If the honest server reuses an earlier consent, the
 * assistant receives a code of the honest server, and sends it to the attacker together with the PKCE verifier.
 * FastMCP GHSA-6x8h-498w-gv8c, RFC 9700 §4.4
 */
describe.each(PLATFORMS)('a hosted client whose ID all users share, on %s', (platform) => {
  let url: string;
  let callback: string;
  let user: PageBrowser;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const users = {
      findById: (id: string) => id === 'alice' && alice,
      findByCredentials: (name: string) => name === 'alice' && alice,
    };
    const module = OAuth2Module.forRoot({
      model: new MemoryStore({ users }),
      issuer: url,
      secret: SECRET,
      features: [pages(), mcp({ ...NOTES, clientIdDocuments: { fetch: fetched } })],
    });
    await startApplication(platform, { imports: [module], controllers: [McpController] }, { port });
  });
  afterAll(stopApplications);
  beforeEach(() => {
    user = new PageBrowser(url);
    callback = documents.url('/callback');
  });

  /** Publishes the metadata document of the assistant, and returns its client ID. */
  function publish(more: object = {}): string {
    const path = `/${platform}/${crypto.randomUUID()}.json`;
    const client_id = documents.url(path);
    documents.replies[path] = json({ ...METADATA, client_id, redirect_uris: [callback], ...more });
    return client_id;
  }

  /** Registers the assistant. */
  async function register(method: string): Promise<{ client_id: string; client_secret?: string }> {
    const body = JSON.stringify({ ...METADATA, redirect_uris: [callback], token_endpoint_auth_method: method });
    const headers = { 'content-type': 'application/json' };
    const response = await readResponse(fetch(`${url}/oauth/register`, { method: 'POST', headers, body }));
    return response.body as { client_id: string };
  }

  /** Opens an authorization request of the assistant in the browser of the user, who signs in if necessary. */
  async function open(clientId: string, headers: Record<string, string> = {}) {
    const verifier = oauth.generateRandomCodeVerifier();
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      scope: 'notes:read',
      state: 'xyz',
      resource: `${url}/mcp`,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const path = `/oauth/authorize?${parameters.toString()}`;
    let shown = await user.get(path, headers);
    if (shown.location?.startsWith('/oauth/login')) {
      const { location } = await user.signIn(shown.location);
      // The form of the login page is on the honest site, so the browser reports the same origin now.
      shown = await user.get(location!, { 'sec-fetch-site': 'same-origin' });
    }
    return { shown, verifier };
  }

  /** The user connects the assistant to the honest server, and allows it. */
  async function connect(clientId: string): Promise<void> {
    const { shown } = await open(clientId);
    expect(shown.heading).toBe('Allow access?');
    expect((await user.send(shown, { decision: 'allow' })).location).toContain('code=');
  }

  /** Returns the token request that the attacker can send, or `undefined` if the user is asked. */
  async function attack(clientId: string, headers: Record<string, string>) {
    const { shown, verifier } = await open(clientId, headers);
    const code = shown.location === null ? undefined : new URL(shown.location).searchParams.get('code')!;
    expect(code !== undefined || shown.heading === 'Allow access?').toBe(true);
    if (code === undefined) return undefined;
    return { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  }

  const REQUESTS: [string, Record<string, string>][] = [
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a program on the device', { 'sec-fetch-site': 'none' }],
    ['from a browser without Fetch Metadata', {}],
  ];

  describe.each(REQUESTS)('in a request %s', (_name, headers) => {
    it('needs a new consent if it has a metadata document without a key', async () => {
      const clientId = publish();
      await connect(clientId);
      expect(await attack(clientId, headers)).toBeUndefined();
      user.cookies.clear();
      expect(await attack(clientId, headers)).toBeUndefined();
    });

    it('needs a new consent if it registered itself as a public client', async () => {
      const { client_id } = await register('none');
      await connect(client_id);
      expect(await attack(client_id, headers)).toBeUndefined();
    });

    it('needs no new consent if its metadata document has a key, which the attacker lacks', async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256');
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'own' }] };
      const clientId = publish({ token_endpoint_auth_method: 'private_key_jwt', jwks });
      await connect(clientId);
      const request = (await attack(clientId, headers))!;
      const stolen = await readResponse(post(`${url}/oauth/token`, { ...request, client_id: clientId }));
      expect(stolen).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
      // The assistant authenticates to the attacker with an assertion for the issuer of the attacker.
      const assertion = new URLSearchParams();
      const as = { issuer: 'https://attacker.example' };
      await oauth.PrivateKeyJwt({ key: privateKey, kid: 'own' })(as, { client_id: clientId }, assertion, new Headers());
      const replayed = await readResponse(post(`${url}/oauth/token`, { ...request, ...Object.fromEntries(assertion) }));
      expect(replayed).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    });

    it('needs no new consent if it registered itself with a secret, which the attacker lacks', async () => {
      const { client_id } = await register('client_secret_basic');
      await connect(client_id);
      const request = (await attack(client_id, headers))!;
      const stolen = await readResponse(post(`${url}/oauth/token`, request, basic(client_id, 'secret-of-attacker')));
      expect(stolen).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    });
  });
});
