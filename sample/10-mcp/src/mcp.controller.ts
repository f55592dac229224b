import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { All, Controller, Inject, Req, Res, UseGuards } from '@nestjs/common';
import { AccessToken, CurrentUser, OAuthGuard, Scopes, type Token, UserRequired } from 'nest-oauth2';
import { toolScopes } from 'nest-oauth2/mcp';
import { DataSource } from 'typeorm';
import { notesServer } from './notes-server.js';

type NodeHandler = ReturnType<typeof toNodeHandler>;

/** The MCP endpoint (Streamable HTTP), protected by the guard like any other route. */
@Controller('mcp')
@UseGuards(OAuthGuard)
@UserRequired()
export class McpController {
  private readonly handle: NodeHandler;

  constructor(@Inject(DataSource) database: DataSource) {
    const handler = createMcpHandler(({ authInfo }) => notesServer(database, String(authInfo?.extra?.['user'])));
    this.handle = toNodeHandler(handler);
  }

  @All()
  @Scopes('notes:read', toolScopes({ add_note: 'notes:write' }))
  async serve(
    @Req() request: Parameters<NodeHandler>[0] & { body?: unknown },
    @Res() response: Parameters<NodeHandler>[1],
    @AccessToken() token: Token,
    @CurrentUser('id') user: string,
  ): Promise<void> {
    // The SDK passes `auth` to the tools of this request. The tools do not need the token itself.
    request.auth = { token: '', clientId: token.client.id, scopes: [], extra: { user } };
    await this.handle(request, response, request.body);
  }
}
