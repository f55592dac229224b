import {
  type RequiredScopes,
  requiredScopes,
  type ScopesByName,
  scopesOfName,
  scopesOfTemplate,
  scopesOfUri,
} from './required-scopes.js';

/** The scopes that resources and prompts of an MCP server require. */
export interface ToolScopesOptions {
  /**
   * The scopes for reading a resource, by its URI. A URI that ends with `*` applies to all URIs that begin with the text
   * before it, such as `notes://private/*`. Other resources require no scope. Default: none.
   */
  resources?: ScopesByName;
  /** The scopes for getting a prompt, by its name. Other prompts require no scope. Default: none. */
  prompts?: ScopesByName;
}

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
 * than 100 messages. `options` lists the scopes of resources and prompts, which their completions require too.
 * @throws {InvalidArgumentError} If a scope is not a valid scope value.
 */
export function toolScopes(
  scopes: ScopesByName,
  options: ToolScopesOptions = {},
): (request: McpRequest) => readonly string[] {
  const [tools, resources, prompts] = [scopes, options.resources ?? {}, options.prompts ?? {}].map(requiredScopes) as [
    RequiredScopes,
    RequiredScopes,
    RequiredScopes,
  ];
  const all = [...new Set([tools, resources, prompts].flatMap((kind) => kind.all))];
  const scopesOf = scopesByMethod(tools, resources, prompts);
  return ({ method = 'POST', body }) => {
    if (WITHOUT_MESSAGE.has(method)) return [];
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (messages.length > MAX_BATCH) return all;
    const needed = new Set<string>();
    for (const message of messages) {
      const required = scopesOf(message);
      if (required === undefined) return all;
      for (const scope of required) needed.add(scope);
    }
    return [...needed];
  };
}

/**
 * Returns a function that returns the scopes that a JSON-RPC message requires. `undefined` for malformed messages.
 * JSON-RPC 2.0 §4
 */
function scopesByMethod(tools: RequiredScopes, resources: RequiredScopes, prompts: RequiredScopes) {
  return (message: unknown): readonly string[] | undefined => {
    const { method, params, result, error } = membersOf(message);
    if (method === undefined) return result === undefined && error === undefined ? undefined : [];
    if (typeof method !== 'string') return undefined;
    const { name, uri, ref } = membersOf(params);
    switch (method) {
      case 'tools/call':
        return scopesOfName(tools, name);
      case 'prompts/get':
        return scopesOfName(prompts, name);
      case 'resources/read':
      case 'resources/subscribe':
        return scopesOfUri(resources, uri);
      case 'completion/complete': {
        const { type, name: prompt, uri: template } = membersOf(ref);
        if (type === 'ref/prompt') return scopesOfName(prompts, prompt);
        return type === 'ref/resource' ? scopesOfTemplate(resources, template) : [...resources.all, ...prompts.all];
      }
      default:
        return [];
    }
  };
}

const membersOf = (value: unknown): Record<string, unknown> => (value ?? {}) as Record<string, unknown>;
