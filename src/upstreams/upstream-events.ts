import { hasListener, reportEvent } from '../../lib/internal.js';
import type { Request, ServerContext } from '../../lib/index.js';
import { causesOf } from './providers/causes.js';
import { RECONNECT_REASONS } from './vault/reconnect-reasons.js';
import type { ReconnectReason, VaultEntry } from './vault/vault-entry.js';
import { type Refusal, REFUSALS } from './refusals.js';

/** The subject of an event of `upstreams()` is about. */
interface UpstreamEventDetails {
  readonly server: ServerContext;
  readonly request: Request;
  readonly endpoint: string;
  readonly provider: string;
  readonly iss?: string | undefined;
  readonly userId?: unknown;
}

/** Emits an event about a user who has signed in, linked or unlinked. */
export function reportUpstream(
  name: 'upstream.signed_in' | 'upstream.linked' | 'upstream.unlinked',
  { server, request, endpoint, provider, iss, userId }: UpstreamEventDetails,
): void {
  const { events } = server.options;
  if (!hasListener(events, name)) return;
  reportEvent(events, name, { endpoint, issuer: server.issuerOf(request), userId, provider, upstreamIssuer: iss });
}

/** Emits why a sign-in or a link was refused. The cause is the message of a library, for the operator. */
export function reportUpstreamRefusal(
  refusal: Refusal,
  { server, request, endpoint, provider, iss, userId }: UpstreamEventDetails,
  cause?: unknown,
): void {
  const { events } = server.options;
  if (!hasListener(events, 'upstream.refused')) return;
  const { reason, remedy, status } = REFUSALS[refusal];
  const detail = causeOf(cause);
  reportEvent(events, 'upstream.refused', {
    endpoint,
    issuer: server.issuerOf(request),
    userId,
    provider,
    upstreamIssuer: iss,
    status,
    reason: detail === undefined ? reason : `${reason}: ${detail}`,
    remedy,
  });
}

/** Emits that the stored tokens of a provider cannot be used any more. */
export function reportReconnect(server: ServerContext, { stored, state }: VaultEntry, reason: ReconnectReason): void {
  const { events } = server.options;
  if (!hasListener(events, 'upstream.reconnect_required')) return;
  reportEvent(events, 'upstream.reconnect_required', {
    endpoint: 'upstream_tokens',
    issuer: stored.issuer,
    userId: stored.userId,
    provider: state.provider,
    upstreamIssuer: state.iss,
    ...RECONNECT_REASONS[reason],
  });
}

/** Returns the messages of an error and its causes, shortened. They contain no tokens and no authorization codes. */
export function causeOf(error: unknown): string | undefined {
  const messages = causesOf(error).flatMap((cause) => (cause instanceof Error ? [withCode(cause)] : []));
  return messages.length === 0 ? undefined : messages.slice(0, MAX_MESSAGES).join(': ').slice(0, 300);
}

/** Returns the message of an error, with the OAuth error code of a provider. RFC 6749 §5.2 */
const withCode = ({ message, error }: Error & { error?: unknown }): string =>
  typeof error === 'string' && /^\w+$/.test(error) ? `${message} (${error})` : message;

const MAX_MESSAGES = 4;
