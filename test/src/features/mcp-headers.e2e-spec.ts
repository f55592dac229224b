import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mcp } from 'nest-oauth2/mcp';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import { freePort } from '../../support/environment/free-port.js';
import { bearer } from '../../support/clients/http.js';
import { mcpModule, mcpStore, NOTES } from '../../support/servers/mcp-application.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const READ = message('tools/call', { name: 'list_notes', arguments: {} });
const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** Saves an access token of alice for the MCP endpoint. */
async function issueToken(store: MemoryStore, resource: string): Promise<string> {
  const client = await store.getClient('mcp-app', null);
  const token = { accessToken: 'the-token', accessTokenExpiresAt: new Date(Date.now() + 60_000) };
  const saved = { ...token, scope: 'notes:read', resource: [resource] };
  await store.saveToken(saved, client as never, { id: 'alice' });
  return token.accessToken;
}

describe.each(PLATFORMS)('the headers `Mcp-Method` and `Mcp-Name` on %s', (platform) => {
  let endpoint: string;
  let token: string;
  const refusals: { reason?: string }[] = [];
  beforeAll(async () => {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    endpoint = `${issuer}/mcp`;
    const store = mcpStore();
    const events = new EventEmitter().on('access.refused', (event: object) => refusals.push(event));
    await startApplication(platform, mcpModule({ model: store, issuer, features: [mcp(NOTES)], events }), { port });
    token = await issueToken(store, endpoint);
  });
  afterAll(stopApplications);
  beforeEach(() => void refusals.splice(0));

  async function send(body: unknown, headers: Record<string, string>) {
    const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const init = { method: 'POST', body: JSON.stringify(body), headers: { ...usual, ...bearer(token), ...headers } };
    const response = await fetch(endpoint, init);
    await response.text();
    return response.status;
  }

  it.each([
    ['are missing', READ, {}],
    ['repeat the body', READ, { 'mcp-method': 'tools/call', 'mcp-name': 'list_notes' }],
    ['repeat the name as Base64', READ, { 'mcp-method': 'tools/call', 'mcp-name': encoded('list_notes') }],
  ])('reach the MCP server if they %s', async (_name, body, headers) => {
    expect(await send(body, headers)).toBe(200);
    expect(refusals).toEqual([]);
  });

  it.each([
    ['name another method', READ, { 'mcp-method': 'tools/list' }],
    ['name another tool', READ, { 'mcp-method': 'tools/call', 'mcp-name': 'add_note' }],
    ['name another tool as Base64', READ, { 'mcp-name': encoded('add_note') }],
    ['write the method in capitals', READ, { 'mcp-method': 'Tools/Call' }],
    ['name a tool, and the body names none', message('tools/call'), { 'mcp-name': 'list_notes' }],
    ['name another resource', message('resources/read', { uri: 'notes://a' }), { 'mcp-name': 'notes://b' }],
    ['name another prompt', message('prompts/get', { name: 'a' }), { 'mcp-name': 'b' }],
    ['name a method, and the body is a batch', [READ], { 'mcp-method': 'tools/call' }],
  ])('are rejected with 400 before the MCP server reads the body if they %s', async (_name, body, headers) => {
    expect(await send(body, headers)).toBe(400);
    expect(refusals).toEqual([expect.objectContaining({ reason: 'header of the MCP request differs from the body' })]);
  });

  it('never replace the scopes that the body requires', async () => {
    const write = message('tools/call', { name: 'add_note', arguments: {} });
    expect(await send(write, {})).toBe(403);
    expect(await send(write, { 'mcp-method': 'tools/call', 'mcp-name': 'add_note' })).toBe(403);
    expect(await send(write, { 'mcp-method': 'tools/call', 'mcp-name': 'list_notes' })).toBe(400);
  });
});
