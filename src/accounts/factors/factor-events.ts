import { hasListener, reportEvent } from '../../../lib/internal.js';
import type { CredentialEvent, Request, ServerContext } from '../../../lib/index.js';

/** The change of a credential of an account. */
interface ChangedCredential extends Pick<CredentialEvent, 'credential' | 'by'> {
  readonly userId: string;
  readonly endpoint: string;
  /** The request of the user. If omitted, an operator changed the account. */
  readonly request?: Request;
}

/** Emits that a credential was added to an account, or removed from it. */
export function reportCredential(
  server: ServerContext,
  name: 'credential.added' | 'credential.removed',
  { request, ...details }: ChangedCredential,
): void {
  const { events, issuer } = server.options;
  if (!hasListener(events, name)) return;
  reportEvent(events, name, { ...details, issuer: request ? server.issuerOf(request) : issuer });
}
