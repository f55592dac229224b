import { expect } from '@jest/globals';

import { allowingUser } from '../src/judges/allowing-user.js';
import { ClientStorage, type Judge } from '../src/judges/mcp-client.js';

const text = (content: string) => ({ content: [{ type: 'text', text: content }] });

/** Verifies with an SDK that the tools of sample/19-mcp-nest act for the user and require their scopes. */
export async function expectGuardedTools(server: string, judge: Judge): Promise<void> {
  const url = `${server}/mcp`;
  const { browse, questions } = allowingUser(server);
  const storage = new ClientStorage(browse, { grants: ['authorization_code'] });

  const unauthorized = await callEndpoint(url, undefined, 'tools/list');
  const metadata = `${server}/.well-known/oauth-protected-resource/mcp`;
  expect(unauthorized.status).toBe(401);
  expect(unauthorized.challenge).toContain(`resource_metadata="${metadata}"`);
  expect(await (await fetch(metadata)).json()).toMatchObject({ resource: url, authorization_servers: [server] });

  const connection = await judge.connect(url, storage);
  expect(await connection.callTool('list_notes')).toMatchObject(text('Follow the white rabbit'));
  expect(questions).toEqual([expect.stringContaining('Read your notes')]);
  const readOnly = storage.tokens.access_token;
  expect(await toolNames(url, readOnly)).toEqual(['list_notes', 'add_note']);
  for (const [tool, scope] of [
    ['add_note', 'notes:read notes:write'],
    ['delete_notes', 'notes:read notes:delete'],
  ]) {
    const refused = await callEndpoint(url, readOnly, 'tools/call', { name: tool, arguments: { text: 'stolen' } });
    expect(refused.status).toBe(403);
    expect(refused.challenge).toMatch(new RegExp(`error="insufficient_scope".*scope="${scope}"`));
  }

  expect(await connection.callTool('add_note', { text: 'a tea party' })).toMatchObject(text('Noted: a tea party'));
  expect(questions[1]).toContain('Write notes for you');
  expect(await connection.callTool('list_notes')).toMatchObject(text('Follow the white rabbit\na tea party'));

  expect(await connection.callTool('delete_notes')).toMatchObject(text('Deleted'));
  expect(questions[2]).toContain('Delete all your notes');
  expect(await toolNames(url, storage.tokens.access_token)).toContain('delete_notes');
  expect(await connection.callTool('list_notes')).toMatchObject(text(''));
  await connection.close();
}

/** Sends one JSON-RPC request to the MCP endpoint, as revision 2025-11-25 of the protocol does. */
async function callEndpoint(url: string, token: string | undefined, method: string, params: object = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result } = (await response.json()) as { result?: { tools?: { name: string }[] } };
  return { status: response.status, challenge: response.headers.get('www-authenticate'), result };
}

async function toolNames(url: string, token: string): Promise<string[] | undefined> {
  const { result } = await callEndpoint(url, token, 'tools/list');
  return result?.tools?.map(({ name }) => name);
}
