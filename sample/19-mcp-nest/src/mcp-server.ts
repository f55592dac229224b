import { McpStrategy, StreamableHttpTransport } from '@rekog/mcp-nest';

/** The transport of the MCP endpoint, which `mcp.controller.ts` mounts. */
export const transport = new StreamableHttpTransport();

/** The MCP server. It finds the tools of all controllers with `@McpController()`. */
export const mcpServer = new McpStrategy({ name: 'notes', version: '1.0.0', transports: [transport] });
