import { type NodeIncomingMessageLike, type NodeServerResponseLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';

/** A request or response. Fastify wraps the Node.js object in `raw`; Express does not. */
interface FastifyWrapper<T> {
  raw?: T;
  hijack?(): void;
}

/** The request of a controller, of Express or Fastify. */
export type McpRequest = NodeIncomingMessageLike & FastifyWrapper<NodeIncomingMessageLike>;

/** The response of a controller, of Express or Fastify. */
export type McpResponse = NodeServerResponseLike & FastifyWrapper<NodeServerResponseLike>;

/** Answers a request of an MCP client with the tools of a server. */
export async function serveMcp(
  createServer: () => McpServer,
  { request, response, body }: { request: McpRequest; response: McpResponse; body: unknown },
): Promise<void> {
  response.hijack?.();
  await toNodeHandler(createMcpHandler(createServer))(request.raw ?? request, response.raw ?? response, body);
}
