import { isRegisteredId } from '../../clients/registration/client-id.js';
import { isClientIdUrl } from '../../features/client-id-documents/client-id-url.js';

/**
 * A group of clients with limits of its own: those that the operator created, and those that anybody may register or
 * describe in a client ID metadata document. Clients of the second group may name the hosts of other clients.
 */
export type ClientGroup = 'operator' | 'selfRegistered';

/** The limits for notifications to the clients of one group. */
export interface GroupLimits {
  /** Maximum number of messages that wait or are being sent in this process. */
  queued: number;
  /** Maximum number of messages that wait or are being sent in this process for one host. */
  queuedPerHost: number;
  /** Maximum number of stored messages. */
  stored: number;
  /** Maximum number of stored messages for one host. A single client can use half of it. */
  storedPerHost: number;
  /** Maximum number of simultaneous attempts to send messages. */
  concurrency: number;
  /** Maximum number of simultaneous attempts to send messages to one host. */
  concurrencyPerHost: number;
}

/** The limits of each group. */
export const LIMITS: Readonly<Record<ClientGroup, GroupLimits>> = {
  operator: {
    queued: 1000,
    queuedPerHost: 100,
    stored: 2000,
    storedPerHost: 400,
    concurrency: 32,
    concurrencyPerHost: 4,
  },
  selfRegistered: {
    queued: 500,
    queuedPerHost: 50,
    stored: 1000,
    storedPerHost: 200,
    concurrency: 16,
    concurrencyPerHost: 2,
  },
};

/** Returns the group of a client. The client ID shows it, because stored messages contain nothing else of the client. */
export const groupOf = (clientId: string): ClientGroup =>
  isRegisteredId(clientId) || isClientIdUrl(clientId) ? 'selfRegistered' : 'operator';

/** Returns a value for each group. */
export const forEachGroup = <T>(create: (limits: GroupLimits) => T): Readonly<Record<ClientGroup, T>> => ({
  operator: create(LIMITS.operator),
  selfRegistered: create(LIMITS.selfRegistered),
});
