import type { Response } from '../../lib/index.js';

type Value = string | readonly string[];

interface ExpressReply {
  statusCode: number;
  headersSent: boolean;
  getHeader(name: string): unknown;
  getHeaderNames(): string[];
  setHeader(name: string, value: Value): unknown;
  removeHeader(name: string): unknown;
  end(body?: string): unknown;
}

interface FastifyReply {
  sent: boolean;
  code(status: number): unknown;
  getHeader(name: string): unknown;
  getHeaders(): object;
  header(name: string, value: Value): unknown;
  removeHeader(name: string): unknown;
  send(body?: string): unknown;
}

/** The response of Express or the reply of Fastify. */
export type NativeReply = ExpressReply | FastifyReply;

export const isFastify = (reply: NativeReply): reply is FastifyReply => 'code' in reply && 'sent' in reply;

/** The directive that prevents other pages from framing a page. */
export const NO_FRAMES = "frame-ancestors 'none'";

/** Copies the headers of the engine's response to the native reply without sending it. */
export function copyHeaders({ headers }: Response, reply: NativeReply): void {
  const names = Object.keys(headers);
  if (names.length === 0) return;
  if (isFastify(reply)) for (const name of names) reply.header(name, joined(reply, name, headers[name]!));
  else for (const name of names) reply.setHeader(name, joined(reply, name, headers[name]!));
}

/**
 * Combines a header value with the values that the application has set: for cookies, `Vary` and content security
 * policies. CSP §3.1
 */
function joined(reply: NativeReply, name: string, value: Value): Value {
  // Fastify keeps existing cookies by itself.
  if (name === 'set-cookie' && isFastify(reply)) return value;
  if (typeof value === 'string' && name !== 'vary' && name !== 'set-cookie' && value !== NO_FRAMES) return value;
  const before = [reply.getHeader(name) ?? []].flat().map(String);
  if (name !== 'vary') return before.length > 0 ? [...before, ...[value].flat()] : value;
  const named = before.flatMap((line) => line.split(',')).map((one) => one.trim());
  const known = new Set(named.map((one) => one.toLowerCase()));
  const added = known.has('*') ? [] : String(value).split(', ');
  return [...named, ...added.filter((one) => !known.has(one.toLowerCase()))].join(', ');
}

/** Removes the headers whose names begin with a prefix from a reply. */
export function removeHeaders(reply: NativeReply, prefix: string): void {
  for (const name of isFastify(reply) ? Object.keys(reply.getHeaders()) : reply.getHeaderNames()) {
    if (name.toLowerCase().startsWith(prefix)) reply.removeHeader(name);
  }
}

/**
 * Adds `Retry-After` to a reply with a header `Retry-After-<name>`, which a named throttler of Nest sets and clients do
 * not know. RFC 9110 §10.2.3
 */
export function addRetryAfter(reply: NativeReply): void {
  const names = isFastify(reply) ? Object.keys(reply.getHeaders()) : reply.getHeaderNames();
  const seconds = names.filter((name) => name.startsWith('retry-after-')).map((name) => Number(reply.getHeader(name)));
  if (seconds.length === 0 || names.includes('retry-after')) return;
  const value = String(Math.max(...seconds));
  if (isFastify(reply)) reply.header('retry-after', value);
  else reply.setHeader('retry-after', value);
}
