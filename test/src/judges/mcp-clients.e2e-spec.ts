import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { decide } from '../../support/clients/consent.js';
import { freePort } from '../../support/environment/free-port.js';
import { readResponse, bearer, get, post } from '../../support/clients/http.js';
import { LOOPBACK_CALLBACK, mcpModule } from '../../support/servers/mcp-application.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const VERIFIER = 'a-verifier-of-at-least-forty-three-characters';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const PAGE = 'http://localhost:6274';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const ADD = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'add_note', arguments: {} } };

interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
}

// Behavior of real clients that other servers have rejected.
describe.each(ANY_PLATFORM)('an MCP client on %s', (platform) => {
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    await startApplication(platform, mcpModule({ issuer: url }), { port });
  });
  afterAll(stopApplications);

  const request = (more: Record<string, string> = {}) => ({
    response_type: 'code',
    client_id: 'mcp-app',
    redirect_uri: LOOPBACK_CALLBACK,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    scope: 'notes:read',
    ...more,
  });

  async function redeem(landed: URL, more: Record<string, string> = {}, headers = {}) {
    const form = {
      grant_type: 'authorization_code',
      client_id: 'mcp-app',
      redirect_uri: LOOPBACK_CALLBACK,
      code: landed.searchParams.get('code')!,
      code_verifier: VERIFIER,
      ...more,
    };
    return readResponse(post(`${url}/oauth/token`, form, headers));
  }

  /** Returns the error that the client receives before the user is asked. */
  async function refusalOf(requested: Record<string, string>) {
    const { headers } = await get(`${url}/oauth/authorize?${new URLSearchParams(requested).toString()}`);
    return new URL(headers.get('location')!).searchParams.get('error');
  }

  const authorized = (more?: Record<string, string>) => decide(url, request(more), 'alice', 'allow');
  const obtain = async (more: Record<string, string> = { resource: `${url}/mcp` }) =>
    (await redeem(await authorized(more), more)).body as Tokens;
  const send = (message: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      body: JSON.stringify(message),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });

  it.each([
    ['appends a slash to the resource', '/mcp/'],
    ['sends the resource without a trailing slash', '/mcp'],
  ])('gets a valid token if it %s', async (_name, path) => {
    const { access_token: token } = await obtain({ resource: url + path });
    expect((await send(INITIALIZE, bearer(token))).status).toBe(200);
  });

  it('gets a valid token if it writes the resource in capitals', async () => {
    const { access_token: token } = await obtain({ resource: `${url.replace('http', 'HTTP')}/mcp` });
    expect((await send(INITIALIZE, bearer(token))).status).toBe(200);
  });

  it('gets a token that the MCP server rejects if it sends no resource, like clients before revision 2025-06-18', async () => {
    const { access_token: token } = await obtain({});
    expect((await send(INITIALIZE, bearer(token))).status).toBe(401);
  });

  it('gets a valid token if it sends the resource only in the authorization or only in the token request', async () => {
    const resource = `${url}/mcp`;
    for (const pending of [redeem(await authorized({ resource })), redeem(await authorized(), { resource })]) {
      const { access_token: token } = (await pending).body as Tokens;
      expect((await send(INITIALIZE, bearer(token))).status).toBe(200);
    }
  });

  it('gets invalid_target if it requests the origin as resource', async () => {
    expect(await refusalOf(request({ resource: url }))).toBe('invalid_target');
  });

  it('gets a response with `iss` and without `state` if it sends no `state`', async () => {
    const { searchParams } = await authorized();
    expect(Object.fromEntries(searchParams)).toEqual({ code: expect.any(String), iss: url });
  });

  it('is rejected without PKCE or with `plain`', async () => {
    const { code_challenge: _challenge, code_challenge_method: _method, ...without } = request({ state: 'x' });
    for (const requested of [
      without,
      request({ code_challenge: VERIFIER, code_challenge_method: 'plain', state: 'x' }),
    ]) {
      expect(await refusalOf(requested)).toBe('invalid_request');
    }
  });

  it('may use another loopback port for each redirect', async () => {
    for (const port of [1024, 49_152, 65_535]) {
      const { origin } = await authorized({ redirect_uri: `http://127.0.0.1:${port}/callback` });
      expect(origin).toBe(`http://127.0.0.1:${port}`);
    }
  });

  it('may register with one loopback port and redirect to another', async () => {
    for (const callback of ['http://localhost:3118/callback', 'http://127.0.0.1:6274/oauth/callback']) {
      const metadata = { client_name: 'CLI', redirect_uris: [callback], token_endpoint_auth_method: 'none' };
      const response = await fetch(`${url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...metadata, application_type: 'native' }),
      });
      expect(response.status).toBe(201);
      const { client_id } = (await response.json()) as { client_id: string };
      const redirect_uri = callback.replace(/:\d+/, ':40404');
      const landed = await authorized({ client_id, redirect_uri });
      expect(landed.href).toMatch(redirect_uri);
    }
  });

  it('gets the same response for concurrent refresh requests, and keeps its grant', async () => {
    const { refresh_token } = await obtain();
    const form = { grant_type: 'refresh_token', refresh_token, client_id: 'mcp-app', resource: `${url}/mcp` };
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => readResponse(post(`${url}/oauth/token`, form))),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const tokens = responses.map(({ body }) => body as Tokens);
    expect(new Set(tokens.map((one) => one.refresh_token)).size).toBe(1);
    expect((await send(INITIALIZE, bearer(tokens[3]!.access_token))).status).toBe(200);
  });

  it('gets a complete challenge without a token, even if its body cannot be parsed', async () => {
    const expected = `Bearer realm="Service",resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`;
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, headers } = await fetch(`${url}/mcp`, { method });
      expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining(expected)]);
    }
  });

  it('is rejected with the token in the query', async () => {
    const { access_token: token } = await obtain();
    const { status } = await fetch(`${url}/mcp?access_token=${token}`, { method: 'GET' });
    expect([400, 401]).toContain(status);
  });

  it.each([
    ['as plain text', { 'content-type': 'text/plain; x=application/json' }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('cannot evade per-tool scopes by sending the call %s', async (_name, headers) => {
    const { access_token: token } = await obtain();
    const { status } = await send(ADD, { ...bearer(token), ...headers });
    expect([403, 415]).toContain(status);
    const batch = await send([INITIALIZE, ADD], bearer(token));
    expect([batch.status, batch.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope",scope="notes:read notes:write"'),
    ]);
  });

  it('in a browser reads metadata and challenge, registers, and gets and refreshes a token across origins', async () => {
    const page = { origin: PAGE };
    const preflight = async (path: string, method: string, headers: string) => {
      const requested = { 'access-control-request-method': method, 'access-control-request-headers': headers };
      const response = await fetch(url + path, { method: 'OPTIONS', headers: { ...page, ...requested } });
      expect([path, response.status]).toEqual([path, 204]);
      expect(['*', PAGE]).toContain(response.headers.get('access-control-allow-origin'));
    };
    for (const path of ['oauth-protected-resource/mcp', 'oauth-protected-resource', 'oauth-authorization-server']) {
      await preflight(`/.well-known/${path}`, 'GET', 'mcp-protocol-version');
      const { status, headers } = await get(`${url}/.well-known/${path}`, {
        ...page,
        'mcp-protocol-version': '2026-07-28',
      });
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 200, '*']);
    }
    await preflight('/mcp', 'POST', 'authorization,content-type,mcp-protocol-version,mcp-method,mcp-name');
    await preflight('/mcp', 'DELETE', 'authorization,mcp-session-id');
    const refused = await send(INITIALIZE, page);
    expect(refused.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');

    await preflight('/oauth/register', 'POST', 'content-type');
    const redirect_uri = `${PAGE}/oauth/callback`;
    const registered = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      headers: { ...page, 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [redirect_uri],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        application_type: 'native',
      }),
    });
    expect(registered.headers.get('access-control-allow-origin')).toBe(PAGE);
    const { client_id } = (await registered.json()) as { client_id: string };

    const landed = await authorized({ client_id, redirect_uri, resource: `${url}/mcp` });
    const { status, headers, body } = await redeem(landed, { client_id, redirect_uri }, page);
    expect([status, headers['access-control-allow-origin']]).toEqual([200, PAGE]);
    const { access_token, refresh_token } = body as Tokens;
    const form = { grant_type: 'refresh_token', refresh_token, client_id };
    expect((await readResponse(post(`${url}/oauth/token`, form, page))).status).toBe(200);
    const answered = await send(INITIALIZE, { ...page, ...bearer(access_token) });
    expect([answered.status, answered.headers.get('access-control-allow-origin')]).toEqual([200, PAGE]);
  });
});
