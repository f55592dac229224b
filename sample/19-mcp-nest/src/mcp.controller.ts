import { Controller, UseGuards } from '@nestjs/common';
import { McpHttpControllerFor } from '@rekog/mcp-nest';
import { Scopes, UserRequired } from 'nest-oauth2';
import { toolScopes } from 'nest-oauth2/mcp';
import { McpGuard } from './mcp.guard.js';
import { transport } from './mcp-server.js';
import { NotesTools } from './notes.tools.js';
import { scopesByTool } from './scopes-by-tool.js';

/**
 * The MCP endpoint. Only an HTTP response can ask a client for a token or for more scopes, so the guard verifies here
 * what the called tool requires, before the MCP server reads the call.
 */
@Controller('mcp')
@UseGuards(McpGuard)
@UserRequired()
@Scopes('notes:read', toolScopes(scopesByTool(NotesTools)))
export class McpController extends McpHttpControllerFor(transport) {}
