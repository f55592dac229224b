import { hash } from 'node:crypto';
import type { Token } from '../../../lib/index.js';

/** The capabilities of the client in `_meta` of a request. MCP 2026-07-28, Elicitation, Capabilities */
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** The revision whose clients expect the error -32042. */
const REVISION_WITH_ERROR = '2025-11-25';

/** The key of the elicitation in `inputRequests` and `inputResponses`. */
export const INPUT_KEY = 'page';

/**
 * How a client learns of a page: by an `InputRequiredResult`, by the error -32042 of revision 2025-11-25, or, if it
 * supports neither, by the text of a result.
 */
export type Notice = 'input' | 'error' | 'text';

/** A JSON-RPC request that a tool, a prompt or a resource of an MCP server handles. */
export interface ElicitableCall {
  /** A digest of the method, the name and the arguments. A retry of the call has the same digest. */
  readonly digest: string;
  readonly notice: Notice;
  /** Whether the result may be an error with text, as for tools. */
  readonly isTool: boolean;
  /** The decision of the user in the client. `undefined` if the request is not a retry. */
  readonly action: unknown;
}

/** The client of a call. */
export interface CallingClient {
  readonly id: string;
  readonly name?: string;
}

/** Returns the client of a call, or the personal access token that a user has made for a script. */
export function clientOf({ client, grantId, tokenName }: Partial<Token>): CallingClient {
  const { id, name }: { id: string; name?: unknown } = client ?? { id: String(grantId), name: tokenName };
  return { id, ...(typeof name === 'string' && { name: name.slice(0, 100) }) };
}

/** Reads the parsed body of an MCP request. */
export function readCall(body: unknown, protocolVersion: string | undefined): ElicitableCall {
  const { method, params } = membersOf(body);
  const { _meta: meta, inputResponses, requestState: _state, ...call } = membersOf(params);
  const capabilities = membersOf(meta)[CAPABILITIES];
  const { url } = membersOf(membersOf(capabilities)['elicitation']);
  const old = protocolVersion === REVISION_WITH_ERROR ? 'error' : 'text';
  return {
    digest: hash('sha256', JSON.stringify([method ?? null, call], sortKeys), 'base64url'),
    notice: capabilities === undefined ? old : isObject(url) ? 'input' : 'text',
    isTool: method === 'tools/call',
    action: membersOf(membersOf(inputResponses)[INPUT_KEY])['action'],
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const membersOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Sorts the members of objects: a client may serialize the arguments of a retry in another order. */
const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
