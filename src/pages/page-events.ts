import { hasListener, reportEvent } from '../../lib/internal.js';
import type { Falsy, ServerContext, User } from '../../lib/index.js';
import type { PageRequest } from './site.js';

/** Emits `user.signed_in` or `user.signed_out`. Does nothing if `user` is falsy. */
export function reportUser(
  server: ServerContext,
  name: 'user.signed_in' | 'user.signed_out',
  {
    user,
    pageRequest: { request },
    endpoint = ENDPOINTS[name],
  }: { user: User | Falsy; pageRequest: Pick<PageRequest, 'request'>; endpoint?: string },
): void {
  const { events } = server.options;
  if (!user || !hasListener(events, name)) return;
  reportEvent(events, name, { endpoint, issuer: server.issuerOf(request), userId: user['id'] });
}

const ENDPOINTS = { 'user.signed_in': 'login', 'user.signed_out': 'logout' } as const;

/**
 * Emits `user.refused` for a rejected login or code. The event omits the user name, because users may type their
 * password there.
 */
export function reportUserRefused(
  server: ServerContext,
  { reason, remedy, status, pageRequest: { request }, endpoint = 'login' }: RefusedLogin,
): void {
  const { events } = server.options;
  if (!hasListener(events, 'user.refused')) return;
  reportEvent(events, 'user.refused', { endpoint, issuer: server.issuerOf(request), reason, remedy, status });
}

interface RefusedLogin {
  reason: string;
  remedy?: string | undefined;
  status: number;
  pageRequest: PageRequest;
  endpoint?: string;
}

/** Emits `grant.ended` after all grants of a user were revoked because the user signed out. */
export function reportGrantsEnded(
  server: ServerContext,
  { user, pageRequest }: { user: User; pageRequest: PageRequest },
): void {
  const { events } = server.options;
  if (!hasListener(events, 'grant.ended')) return;
  const issuer = server.issuerOf(pageRequest.request);
  reportEvent(events, 'grant.ended', { endpoint: 'logout', issuer, userId: user['id'], reason: 'withdrawn' });
}

/** Emits `consent.forgotten` after a user has deleted the remembered consent of an application. */
export function reportForgotten(
  server: ServerContext,
  { userId, clientId, pageRequest: { request } }: { userId: unknown; clientId: string; pageRequest: PageRequest },
): void {
  const { events } = server.options;
  if (!hasListener(events, 'consent.forgotten')) return;
  const details = { endpoint: 'applications', issuer: server.issuerOf(request), clientId, userId };
  reportEvent(events, 'consent.forgotten', details);
}

/** The access that a user removed. With `grantId`, only this grant of the client. */
interface WithdrawnAccess {
  userId: unknown;
  clientId: string;
  grantId?: string;
  pageRequest: PageRequest;
}

/** Emits `consent.withdrawn` and `grant.ended` after a user has removed the access of an application. */
export function reportWithdrawn(
  server: ServerContext,
  { userId, clientId, grantId, pageRequest: { request } }: WithdrawnAccess,
): void {
  const { events } = server.options;
  const access = { clientId, userId, ...(grantId !== undefined && { grantId }) };
  const details = { endpoint: 'applications', issuer: server.issuerOf(request), ...access };
  if (hasListener(events, 'consent.withdrawn')) reportEvent(events, 'consent.withdrawn', details);
  if (hasListener(events, 'grant.ended')) reportEvent(events, 'grant.ended', { ...details, reason: 'withdrawn' });
}
