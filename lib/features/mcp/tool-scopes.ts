import { InvalidArgumentError } from '../../errors.js';
import { isScopeValue } from '../../http/syntax.js';

/** A request for an MCP endpoint, with its body as JSON. */
interface McpRequest {
  method?: string | undefined;
  body?: unknown;
}

/** Those that bring messages are judged; the others open a stream or end a session. */
const WITHOUT_MESSAGE = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/**
 * The scopes that calls of tools need, beside those of the route: `@Scopes('notes:read', toolScopes({ add_note: ['notes:write'] }))`.
 * A client without them is told at once, by 403 `insufficient_scope`, before the MCP server hears of the call. A body of which
 * it cannot be said what it calls needs the scopes of all. A name that is not listed needs none.
 * @throws InvalidArgumentError when a scope is none
 */
export function toolScopes(
  scopes: Readonly<Record<string, string | readonly string[]>>,
): (request: McpRequest) => readonly string[] {
  const byTool = new Map(Object.entries(scopes).map(([tool, needed]) => [tool, [needed].flat()]));
  for (const [tool, needed] of byTool) {
    const odd = needed.filter((scope: unknown) => typeof scope !== 'string' || !isScopeValue(scope));
    if (odd.length === 0) continue;
    throw new InvalidArgumentError(
      `Invalid argument: \`toolScopes()\` gives \`${tool}\` \`${String(odd[0])}\`, no scope value`,
    );
  }
  const all = [...new Set([...byTool.values()].flat())];
  const neededBy = (message: unknown): readonly string[] => {
    const called = calledTool(message);
    return called === undefined ? all : (byTool.get(called) ?? []);
  };
  return ({ method = 'POST', body }) => {
    if (WITHOUT_MESSAGE.has(method)) return [];
    return [...new Set([body].flat().flatMap(neededBy))];
  };
}

/** The tool that a message calls; empty: none; undefined: nobody knows. JSON-RPC 2.0 §4 */
function calledTool(message: unknown): string | undefined {
  const { method, params, result, error } = (message ?? {}) as Record<string, unknown>;
  if (method === undefined) return result === undefined && error === undefined ? undefined : '';
  if (typeof method !== 'string') return undefined;
  if (method !== 'tools/call') return '';
  const name = (params as { name?: unknown } | undefined | null)?.name;
  return typeof name === 'string' ? name : undefined;
}
