import { hasListener, reportEvent } from '../../lib/adapter/index.js';
import type { Falsy, ServerContext, User } from '../../lib/index.js';
import type { PageRequest } from './site.js';

/** Tells the operator who signed in or out. */
export function reportUser(
  server: ServerContext,
  name: 'user.signed_in' | 'user.signed_out',
  {
    user,
    visit: { request },
    endpoint = ENDPOINTS[name],
  }: { user: User | Falsy; visit: PageRequest; endpoint?: string },
): void {
  const { events } = server.options;
  if (!user || !hasListener(events, name)) return;
  reportEvent(events, name, { endpoint, issuer: server.issuerOf(request), userId: user['id'] });
}

const ENDPOINTS = { 'user.signed_in': 'login', 'user.signed_out': 'logout' } as const;

/** Tells the operator that somebody could not sign in, and nothing of what was typed: it may be the password. */
export function reportUserRefused(
  server: ServerContext,
  { reason, status, visit: { request }, endpoint = 'login' }: RefusedLogin,
): void {
  const { events } = server.options;
  if (!hasListener(events, 'user.refused')) return;
  reportEvent(events, 'user.refused', { endpoint, issuer: server.issuerOf(request), reason, status });
}

interface RefusedLogin {
  reason: string;
  status: number;
  visit: PageRequest;
  endpoint?: string;
}

/** Tells the operator that all that a user had granted ended as they signed out. */
export function reportGrantsEnded(server: ServerContext, { user, visit }: { user: User; visit: PageRequest }): void {
  const { events } = server.options;
  if (!hasListener(events, 'grant.ended')) return;
  const issuer = server.issuerOf(visit.request);
  reportEvent(events, 'grant.ended', { endpoint: 'logout', issuer, userId: user['id'], reason: 'withdrawn' });
}

/** Tells the operator that a user ended the access of an application. */
export function reportWithdrawn(
  server: ServerContext,
  { user, clientId, visit: { request } }: { user: User; clientId: string; visit: PageRequest },
): void {
  const { events } = server.options;
  const facts = { endpoint: 'applications', issuer: server.issuerOf(request), clientId, userId: user['id'] };
  if (hasListener(events, 'consent.withdrawn')) reportEvent(events, 'consent.withdrawn', facts);
  if (hasListener(events, 'grant.ended')) reportEvent(events, 'grant.ended', { ...facts, reason: 'withdrawn' });
}
