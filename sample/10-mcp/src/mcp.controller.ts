import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { All, Controller, Inject, Req, Res, UseGuards } from '@nestjs/common';
import { CurrentUser, type NativeRequest, OAuthGuard, Scopes, UserRequired } from 'nest-oauth2';
import { toolScopes } from 'nest-oauth2/mcp';
import { Tools } from './tools.js';

type NodeHandler = ReturnType<typeof toNodeHandler>;

/** The MCP endpoint (Streamable HTTP), protected by the guard like any other route. */
@Controller('mcp')
@UseGuards(OAuthGuard)
@UserRequired()
export class McpController {
  constructor(@Inject(Tools) private readonly tools: Tools) {}

  @All()
  @Scopes('notes:read', toolScopes({ add_note: 'notes:write', list_repositories: 'repositories:read' }))
  async serve(
    @Req() request: NativeRequest & Parameters<NodeHandler>[0] & { body?: unknown },
    @Res() response: Parameters<NodeHandler>[1],
    @CurrentUser('id') user: string,
  ): Promise<void> {
    const handle = toNodeHandler(createMcpHandler(() => this.tools.serverFor(user, request)));
    await handle(request, response, request.body);
  }
}
