import type { Type } from '@nestjs/common';
import { MCP_TOOL_METADATA_KEY } from '@rekog/mcp-nest';
import { OAUTH2_METADATA } from 'nest-oauth2';

/** Returns the scopes in `@Scopes()` of each tool of a controller, by the name of the tool. */
export function scopesByTool({ prototype }: Type<object>): Record<string, string[]> {
  const scopes: Record<string, string[]> = {};
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const tool: { name?: string } | undefined =
      typeof value === 'function' ? Reflect.getMetadata(MCP_TOOL_METADATA_KEY, value) : undefined;
    if (tool) scopes[tool.name ?? key] = Reflect.getMetadata(OAUTH2_METADATA.scopes, value) ?? [];
  }
  return scopes;
}
