import { digest } from '../clients/client-secret.js';
import type { GrantFilter, GrantKind, GrantRow } from '../contract/storage.js';

/**
 * The counters of a user: how often all grants of a kind, or those of a client or issuer among them, were revoked at once.
 */
export type UserCounters = Readonly<Record<string, number>> | undefined;

type CounterKey = Pick<GrantFilter, 'clientId' | 'issuer'> & { kind: GrantKind };

/**
 * Returns the name of the counter that counts revocations of a user's grants by kind, client and issuer. It is a hash if
 * the client or issuer matters, since field names of MongoDB cannot contain every character.
 */
export function counterName({ kind, clientId, issuer }: CounterKey): string {
  return clientId === undefined && issuer === undefined ? kind : digest(JSON.stringify([kind, clientId, issuer]));
}

/** Returns the position of a counter in the result of `countersOf()`. */
export const counterIndex = ({ clientId, issuer }: Omit<CounterKey, 'kind'>) =>
  (clientId === undefined ? 0 : 1) + (issuer === undefined ? 0 : 2);

/** Returns the counters that apply to a grant: of all grants of its kind, its client, its issuer, and both. */
export function countersOf(
  counters: UserCounters,
  { kind, clientId, issuer }: Pick<GrantRow, 'kind' | 'clientId' | 'issuer'>,
) {
  const keys: CounterKey[] = [{ kind }, { kind, clientId }];
  if (issuer !== null) keys.push({ kind, issuer }, { kind, clientId, issuer });
  return keys.map((key) => counters?.[counterName(key)] ?? 0);
}

/** Whether no counter that applies to a grant has changed since the grant was saved. */
export function isCurrent(saved: readonly number[], counters: UserCounters, grant: Parameters<typeof countersOf>[1]) {
  // Fast path: no grant of this user was ever revoked by a counter.
  if (!counters) return saved.every((count) => count === 0);
  return countersOf(counters, grant).every((count, index) => count === saved[index]);
}
