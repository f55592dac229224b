import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { mcp } from 'nest-oauth2/mcp';
import { pages } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { SECRET } from '../../support/servers/demo.js';
import { freePort } from '../../support/environment/free-port.js';
import { bearer, type HttpResponse, post, readResponse } from '../../support/clients/http.js';
import { McpController, NOTES } from '../../support/servers/mcp-application.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { PageBrowser } from '../pages/page-browser.js';

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const CALLBACK = 'https://app.example/callback';
const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };

/**
 * The attacks of published advisories of other servers for MCP. Further ones are tested elsewhere:
 * - FastMCP GHSA-6x8h-498w-gv8c, a code for a shared client: `shared-clients.e2e-spec.ts`
 * - workers-oauth-provider issue 97, spellings of `javascript:`: `../../lib/features/registration.spec.ts`
 * - FastMCP CVE-2026-27124 (GHSA-rww4-4w9c-7733), a consent of another browser: `../upstreams/attacks.e2e-spec.ts`
 */
describe.each(PLATFORMS)('the attacks of advisories of other MCP servers on %s', (platform) => {
  let url: string;
  let browser: PageBrowser;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const alice = { id: 'alice', name: 'Alice' };
    const users = { findById: () => alice, findByCredentials: () => alice };
    const features = [pages(), mcp({ ...NOTES, resource: ['/mcp', '/admin/mcp'] })];
    const module = OAuth2Module.forRoot({ model: new MemoryStore({ users }), issuer: url, secret: SECRET, features });
    await startApplication(platform, { imports: [module], controllers: [McpController] }, { port });
    browser = new PageBrowser(url);
    await browser.signIn('/oauth/login');
  });
  afterAll(stopApplications);

  async function register(more: object = {}): Promise<HttpResponse & { body: Record<string, string> }> {
    const body = JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none', ...more });
    const headers = { 'content-type': 'application/json' };
    return (await readResponse(fetch(`${url}/oauth/register`, { method: 'POST', headers, body }))) as never;
  }

  const authorize = (clientId: string, more: Record<string, string> = {}) =>
    browser.get(
      `/oauth/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: CALLBACK,
        state: 'state',
        scope: 'notes:read',
        ...more,
      }).toString()}`,
    );

  /** Lets the user agree to a request, and returns the code. */
  async function codeOf(clientId: string, more: Record<string, string>): Promise<string> {
    const page = await authorize(clientId, more);
    const { location } = page.location ? page : await browser.send(page, { decision: 'allow' });
    return new URL(location!).searchParams.get('code')!;
  }

  const redeem = async (clientId: string, code: string, more: Record<string, string> = { code_verifier: VERIFIER }) => {
    const form = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: CALLBACK };
    return (await readResponse(post(`${url}/oauth/token`, { ...form, ...more }))).body as Record<string, string>;
  };

  const callWith = async (token: string) =>
    (
      await fetch(`${url}/mcp`, {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        headers: {
          ...bearer(token),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      })
    ).status;

  // workers-oauth-provider CVE-2025-4143
  it.each(['https://evil.example/callback', `${CALLBACK}.evil.example`, `${CALLBACK}/../evil`, 'https://app.example'])(
    'sends nobody to the unregistered redirect URI %s',
    async (redirect_uri) => {
      const { client_id: id } = (await register()).body;
      await codeOf(id!, PKCE); // The user has agreed to this client before.
      const { status, location } = await authorize(id!, { ...PKCE, redirect_uri });
      expect([status, location]).toEqual([400, null]);
    },
  );

  // workers-oauth-provider CVE-2025-4144
  it('redeems no code without its PKCE verifier, and issues none without a challenge', async () => {
    const { client_id: id } = (await register()).body;
    const withoutChallenge = await authorize(id!);
    expect(new URL(withoutChallenge.location!).searchParams.get('error')).toBe('invalid_request');
    for (const more of [{}, { code_verifier: '' }, { code_verifier: 'w'.repeat(43) }, { code_verifier: CHALLENGE }]) {
      const refused = await redeem(id!, await codeOf(id!, PKCE), more as Record<string, string>);
      expect(refused['error']).toMatch(/^invalid_(?:grant|request)$/);
      expect(refused).not.toHaveProperty('access_token');
    }
    const plain = await authorize(id!, { code_challenge: VERIFIER, code_challenge_method: 'plain' });
    expect(new URL(plain.location!).searchParams.get('error')).toBe('invalid_request');
  });

  // FastMCP CVE-2025-69196
  it('issues a token for the requested resource only', async () => {
    const { client_id: id } = (await register()).body;
    const tokenFor = async (resource: string) =>
      (await redeem(id!, await codeOf(id!, { ...PKCE, resource }), { code_verifier: VERIFIER, resource }))[
        'access_token'
      ]!;
    expect(await callWith(await tokenFor(`${url}/mcp`))).toBe(200);
    expect(await callWith(await tokenFor(`${url}/admin/mcp`))).toBe(401);
    const code = await codeOf(id!, { ...PKCE, resource: `${url}/admin/mcp` });
    const widened = await redeem(id!, code, { code_verifier: VERIFIER, resource: `${url}/mcp` });
    expect(widened['error']).toBe('invalid_target');
  });

  // FastMCP GHSA-c2jp-c369-7pvx, GHSA-5h2m-4q8j-pqpj
  it('asks for consent for each client that registers itself, whatever the user has agreed to', async () => {
    const known = (await register({ client_name: 'Assistant' })).body;
    await codeOf(known['client_id']!, PKCE);
    const evil = (await register({ client_name: 'Assistant', redirect_uris: ['https://evil.example/cb'] })).body;
    const page = await authorize(evil['client_id']!, { ...PKCE, redirect_uri: 'https://evil.example/cb' });
    expect([page.status, page.location]).toEqual([200, null]);
    expect(page.html).toContain('evil.example');
  });

  it('runs no script of a registered client on its pages', async () => {
    const script = '<img src=x onerror=alert(1)>';
    const { client_id: id } = (await register({ client_name: script })).body;
    const page = await authorize(id!, PKCE);
    expect(page.html).not.toContain(script);
    expect(page.html).toContain('&lt;img');
    expect((await register({ redirect_uris: ['javascript:alert(1)'] })).status).toBe(400);
    const shown = await authorize(id!, { ...PKCE, redirect_uri: `${CALLBACK}?error=<script>alert(1)</script>` });
    expect(shown.html).not.toContain('<script>alert');
  });
});
