import { InvalidArgumentError } from '../../errors/index.js';
import { isScopeValue } from '../../http/syntax.js';

/** A request for an MCP endpoint, with its parsed JSON body. */
interface McpRequest {
  method?: string | undefined;
  body?: unknown;
}

/** HTTP methods of MCP requests without a JSON-RPC message, for which no tool scopes are required. */
const WITHOUT_MESSAGE = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/**
 * Maximum number of messages in a JSON-RPC batch that are read. A longer batch requires the scopes of all tools. The
 * limit is needed because the body is read before the token is verified.
 */
const MAX_BATCH = 100;

/**
 * Returns a function that computes which scopes the tool calls of a request require, in addition to the scopes of the
 * route: `@Scopes('notes:read', toolScopes({ add_note: ['notes:write'] }))`. A token without them is rejected with 403
 * `insufficient_scope` before the MCP server reads the call. A tool that is not listed requires no scope. If the tool
 * calls of a body cannot be determined, the scopes of all tools are required, and also for a JSON-RPC batch of more
 * than 100 messages.
 * @throws {InvalidArgumentError} If a scope is not a valid scope value.
 */
export function toolScopes(
  scopes: Readonly<Record<string, string | readonly string[]>>,
): (request: McpRequest) => readonly string[] {
  const byTool = new Map(Object.entries(scopes).map(([tool, needed]) => [tool, [needed].flat()]));
  for (const [tool, needed] of byTool) {
    const invalid = needed.filter((scope: unknown) => typeof scope !== 'string' || !isScopeValue(scope));
    if (invalid.length === 0) continue;
    throw new InvalidArgumentError(
      `Invalid argument: \`toolScopes()\` contains an invalid scope value for \`${tool}\`: \`${String(invalid[0])}\``,
    );
  }
  const all = [...new Set([...byTool.values()].flat())];
  return ({ method = 'POST', body }) => {
    if (WITHOUT_MESSAGE.has(method)) return [];
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (messages.length > MAX_BATCH) return all;
    const needed = new Set<string>();
    for (const message of messages) {
      const tool = calledTool(message);
      if (tool === undefined) return all;
      for (const scope of byTool.get(tool) ?? []) needed.add(scope);
    }
    return [...needed];
  };
}

/**
 * Returns the name of the tool that a JSON-RPC message calls. `''` for messages that call no tool, `undefined` for
 * malformed messages. JSON-RPC 2.0 §4
 */
function calledTool(message: unknown): string | undefined {
  const { method, params, result, error } = (message ?? {}) as Record<string, unknown>;
  if (method === undefined) return result === undefined && error === undefined ? undefined : '';
  if (typeof method !== 'string') return undefined;
  if (method !== 'tools/call') return '';
  const name = (params as { name?: unknown } | undefined | null)?.name;
  return typeof name === 'string' ? name : undefined;
}
