import { All, Body, Controller, type ModuleMetadata, Req, Res, UseGuards } from '@nestjs/common';
import { McpServer } from '@modelcontextprotocol/server';
import { OAuth2Module, type OAuth2ModuleOptions, OAuthGuard, Scopes } from 'nest-oauth2';
import { mcp, toolScopes } from 'nest-oauth2/mcp';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { DemoInteraction, SECRET } from './demo.js';
import { type McpRequest, type McpResponse, serveMcp } from './mcp-handler.js';

/** A loopback redirect URI of a native client. The port may vary. RFC 8252 §7.3 */
export const LOOPBACK_CALLBACK = 'http://127.0.0.1:33418/callback';

const alice = { id: 'alice', name: 'Alice' };

/** Returns a store with one user and two public clients: `mcp-app` with refresh tokens, and `mcp-once` without. */
export function mcpStore(): MemoryStore {
  const app = {
    tokenEndpointAuthMethod: 'none',
    redirectUris: ['http://127.0.0.1/callback'],
    scopes: ['notes:read', 'notes:write'],
    defaultScope: ['notes:read'],
  };
  return new MemoryStore({
    clients: [
      { ...app, id: 'mcp-app', grants: ['authorization_code', 'refresh_token'] },
      { ...app, id: 'mcp-once', grants: ['authorization_code'] },
    ],
    users: { findById: (id) => id === alice.id && alice, findByCredentials: () => undefined },
  });
}

function notesServer(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });
  server.registerTool('list_notes', { description: 'Lists notes' }, () => text('Follow the white rabbit'));
  server.registerTool('add_note', { description: 'Adds a note' }, () => text('added'));
  return server;
}

@Controller('mcp')
@UseGuards(OAuthGuard)
export class McpController {
  @All()
  @Scopes('notes:read', toolScopes({ add_note: 'notes:write' }))
  async handle(@Req() request: McpRequest, @Res() response: McpResponse, @Body() body: unknown): Promise<void> {
    await serveMcp(notesServer, { request, response, body });
  }
}

/** All scopes that clients may request, and the default scope. */
export const NOTES = { scopes: ['notes:read', 'notes:write'], defaultScope: ['notes:read'] };

/** Returns the metadata of a module with an MCP server that is its own authorization server. */
export function mcpModule(options: Partial<OAuth2ModuleOptions> = {}): ModuleMetadata {
  const moduleOptions = {
    model: mcpStore(),
    interaction: DemoInteraction,
    secret: SECRET,
    features: [mcp(NOTES)],
    ...options,
  };
  return { imports: [OAuth2Module.forRoot(moduleOptions)], controllers: [McpController] };
}
