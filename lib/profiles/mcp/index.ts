export type { EnterpriseOptions } from './enterprise.js';
export { mcp, type McpOptions } from './mcp.js';
export type { ScopesByName } from './required-scopes.js';
export { toolScopes, type ToolScopesOptions } from './tool-scopes.js';
