export { mcp, type McpOptions } from './mcp.js';
export { toolScopes } from './tool-scopes.js';
