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

/** Keeps a page out of the frames of other pages. */
export const NO_FRAMES = "frame-ancestors 'none'";

/** Puts the headers of the engine's answer on the native reply, and sends nothing. */
export function copyHeaders({ headers }: Response, reply: NativeReply): void {
  const names = Object.keys(headers);
  if (names.length === 0) return;
  if (isFastify(reply)) for (const name of names) reply.header(name, joined(reply, name, headers[name]!));
  else for (const name of names) reply.setHeader(name, joined(reply, name, headers[name]!));
}

/** Adds the value to what the application has set where both can apply: cookies, `Vary`, content security policies. CSP §3.1 */
function joined(reply: NativeReply, name: string, value: Value): Value {
  // Fastify keeps the cookies that are there by itself.
  if (name === 'set-cookie' && isFastify(reply)) return value;
  if (typeof value === 'string' && name !== 'vary' && name !== 'set-cookie' && value !== NO_FRAMES) return value;
  const before = [reply.getHeader(name) ?? []].flat().map(String);
  if (name !== 'vary') return before.length > 0 ? [...before, ...[value].flat()] : value;
  const named = before.flatMap((line) => line.split(',')).map((one) => one.trim());
  const isNamed = named.some((one) => one === '*' || one.toLowerCase() === String(value).toLowerCase());
  return (isNamed ? named : [...named, value]).join(', ');
}

/** Takes back what somebody else has put on the reply under names that begin so. */
export function removeHeaders(reply: NativeReply, prefix: string): void {
  for (const name of isFastify(reply) ? Object.keys(reply.getHeaders()) : reply.getHeaderNames()) {
    if (name.toLowerCase().startsWith(prefix)) reply.removeHeader(name);
  }
}

/** A throttler of Nest that has a name says `Retry-After-<name>`, which no client knows. RFC 9110 §10.2.3 */
export function addRetryAfter(reply: NativeReply): void {
  const names = isFastify(reply) ? Object.keys(reply.getHeaders()) : reply.getHeaderNames();
  const seconds = names.filter((name) => name.startsWith('retry-after-')).map((name) => Number(reply.getHeader(name)));
  if (seconds.length === 0 || names.includes('retry-after')) return;
  const value = String(Math.max(...seconds));
  if (isFastify(reply)) reply.header('retry-after', value);
  else reply.setHeader('retry-after', value);
}
