import { digest } from '../clients/client-secret.js';
import type { GrantFilter, GrantRow } from '../contract/storage.js';

/** The counters of a user: how often all grants, or those of a client or issuer, were revoked at once. */
export type UserCounters = Readonly<Record<string, number>> | undefined;

type CounterKey = Pick<GrantFilter, 'clientId' | 'issuer'>;

/**
 * Returns the name of the counter that counts revocations of a user's grants by client and issuer. It is a hash, since
 * field names of MongoDB cannot contain every character.
 */
export function counterName({ clientId, issuer }: CounterKey): string {
  return clientId === undefined && issuer === undefined ? 'all' : digest(JSON.stringify([clientId, issuer]));
}

/** Returns the position of a counter in the result of `countersOf()`. */
export const counterIndex = ({ clientId, issuer }: CounterKey) =>
  (clientId === undefined ? 0 : 1) + (issuer === undefined ? 0 : 2);

/** Returns the counters that apply to a grant: of all grants of the user, its client, its issuer, and both. */
export function countersOf(counters: UserCounters, { clientId, issuer }: Pick<GrantRow, 'clientId' | 'issuer'>) {
  const keys: CounterKey[] = [{}, { clientId }];
  if (issuer !== null) keys.push({ issuer }, { clientId, issuer });
  return keys.map((key) => counters?.[counterName(key)] ?? 0);
}

/** Whether no counter that applies to a grant has changed since the grant was saved. */
export function isCurrent(saved: readonly number[], counters: UserCounters, grant: Parameters<typeof countersOf>[1]) {
  // Fast path: no grant of this user was ever revoked by a counter.
  if (!counters) return saved.every((count) => count === 0);
  return countersOf(counters, grant).every((count, index) => count === saved[index]);
}
