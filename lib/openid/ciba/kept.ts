import { Seal } from '../../crypto/encrypt-text.js';
import type { DeviceAuthorization } from '../../features/device-authorization/device-model.js';

/** What is kept of a request beside what is kept of any that waits for its user. */
export interface KeptBackchannel {
  /** Who was meant, by their id. */
  sub: string;
  acrValues: readonly string[];
  bindingMessage?: string;
  /** What the client is told by, unreadable for whoever reads the store. */
  ping?: string;
}

/** By what, and of what, a client is told. CIBA §10.2 */
export interface PingSecret {
  authReqId: string;
  token: string;
}

/** The name of a request for the model: no device can send it, or its user type it. */
export const nameOf = (text: string): string => `\tciba ${text}`;

export const keptIn = (found: DeviceAuthorization): KeptBackchannel | undefined =>
  found['backchannel'] as KeptBackchannel | undefined;

// Of the id only a digest is kept.
const sealOf = (id: string) => new Seal([id], 'CIBA ping');

export const closePing = (secret: PingSecret, id: string): string => sealOf(id).close(JSON.stringify(secret));

export function openPing(sealed: string, id: string): PingSecret | undefined {
  const text = sealOf(id).open(sealed);
  return text === undefined ? undefined : (JSON.parse(text) as PingSecret);
}
