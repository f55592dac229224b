import { InvalidRequestError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { Request } from '../../http/request.js';

/** The parameter that the header `Mcp-Name` repeats, for each method with this header. */
const NAME_PARAMETER: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * Verifies that the headers `Mcp-Method` and `Mcp-Name` repeat the values in the body. A gateway may decide by the
 * headers, and the MCP server runs what the body names. Missing headers are left to the MCP server, because clients of
 * earlier revisions send none. MCP 2026-07-28, Transports, Server Validation
 * @throws {InvalidRequestError} If a header differs from the body.
 */
export function verifyMirroredHeaders(request: Request): void {
  const [method, name]: unknown[] = [request.get('mcp-method'), request.get('mcp-name')];
  if (method === undefined && name === undefined) return;
  const body: unknown = request.body;
  // A body that is not parsed is left to the MCP server. `toolScopes()` requires the scopes of all tools for it.
  if (!isObject(body) || Object.keys(body).length === 0) return;
  if (method !== undefined && method !== body['method']) throw mismatch('Mcp-Method', method, body['method']);
  if (name === undefined || typeof body['method'] !== 'string') return;
  const parameter = Object.hasOwn(NAME_PARAMETER, body['method']) ? NAME_PARAMETER[body['method']] : undefined;
  if (parameter === undefined) return;
  const value = isObject(body['params']) ? body['params'][parameter] : undefined;
  if (decoded(name) !== value) throw mismatch('Mcp-Name', name, value);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const ENCODED = /^=\?base64\?([A-Za-z\d+/]*={0,2})\?=$/;

/** Returns the value of `Mcp-Name`, whose text may be encoded as Base64. */
function decoded(header: unknown): unknown {
  const [, text] = (typeof header === 'string' && ENCODED.exec(header)) || [];
  return text === undefined ? header : Buffer.from(text, 'base64').toString('utf8');
}

const mismatch = (header: string, given: unknown, expected: unknown) =>
  new InvalidRequestError(`Invalid request: the header \`${header}\` differs from the body`).because({
    reason: 'header of the MCP request differs from the body',
    expected: shortText(String(expected)),
    given: shortText(String(given)),
  });
