import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { McpContext } from '@rekog/mcp-nest';
import { type NativeRequest, OAuthGuard, type Token } from 'nest-oauth2';

/** The guard of the MCP endpoint and of its tools. A tool is a message handler, so it has no HTTP request itself. */
@Injectable()
export class McpGuard extends OAuthGuard {
  /** Returns the HTTP request that called the endpoint or the tool. The token is read from it. */
  protected override getRequest(context: ExecutionContext) {
    return httpRequestOf(context) ?? super.getRequest(context);
  }

  /** Sets `request.user` too. The MCP server reads its scopes to list the tools. */
  protected override attach(context: ExecutionContext, token: Token): void {
    super.attach(context, token);
    const request = httpRequestOf(context);
    if (request) request.user = { sub: token.user.id, scope: [token.scope ?? []].flat().join(' ') };
  }
}

/** Returns the HTTP request. `undefined` for a call over another transport, such as STDIO. */
function httpRequestOf(context: ExecutionContext): NativeRequest | undefined {
  if (context.getType() === 'http') return context.switchToHttp().getRequest();
  return context.switchToRpc().getContext<McpContext>().getRawRequest();
}
