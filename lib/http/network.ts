import { isIPv6 } from 'node:net';

import type { Request } from './request.js';

/**
 * Returns the network that rate limits count: the IPv4 address, or the /64 of an IPv6 address, because one subscriber
 * has a whole /64. An IPv4-mapped IPv6 address counts as its IPv4 address. RFC 6177 §2, RFC 4291 §2.5.5.2
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%', 1);
  if (!isIPv6(bare)) return bare;
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join('.');
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** Returns the eight 16-bit groups of an IPv6 address as numbers. */
function groupsOf(address: string): number[] {
  const [head, tail] = address.split('::', 2).map((part) => part.split(':').filter(Boolean).flatMap(numbersOf));
  if (!tail) return head!;
  return [...head!, ...Array<number>(8 - head!.length - tail.length).fill(0), ...tail];
}

/**
 * Parses a group of an IPv6 address between colons. A group in IPv4 notation stands for two 16-bit groups.
 * RFC 4291 §2.2
 */
function numbersOf(group: string): number[] {
  if (!group.includes('.')) return [Number.parseInt(group, 16)];
  const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number];
  return [a * 256 + b, c * 256 + d];
}

/**
 * Returns the IP address of the client as reported by Express or Fastify, which apply the configuration of trusted
 * proxies. Warns once if a proxy sends addresses and is not trusted.
 */
export function addressOf(request: Request): string | undefined {
  const native = (request['native'] ?? {}) as NativeAddresses;
  const address = native.ip ?? native.socket?.remoteAddress;
  if (typeof address !== 'string') return undefined;
  if (!hasWarned && address === native.socket?.remoteAddress) warnAboutProxy(request.get('x-forwarded-for'), address);
  return address;
}

interface NativeAddresses {
  ip?: unknown;
  socket?: { remoteAddress?: unknown };
}

let hasWarned = false;

/** Warns that all users of a proxy share its address, so that attempts of one of them use up the limits of all. */
function warnAboutProxy(forwardedFor: unknown, address: string): void {
  if (typeof forwardedFor !== 'string') return;
  const isTrusted = forwardedFor.split(',').some((part) => networkOf(part.trim()) === networkOf(address));
  if (isTrusted) return;
  hasWarned = true;
  const proxy = `\`X-Forwarded-For\` was sent by ${networkOf(address)}, which is not a trusted proxy`;
  process.emitWarning(
    `nest-oauth2: ${proxy}. If it is your proxy, all users share the rate limits of its address: set \`trust proxy\` of Express or \`trustProxy\` of Fastify to the address of the proxy.`,
  );
}

/** Returns the network of the client that sent a request. `undefined` if the request or its address is unknown. */
export function requesterNetwork(request: Request | undefined): string | undefined {
  const address = request && addressOf(request);
  return address === undefined ? undefined : networkOf(address);
}
