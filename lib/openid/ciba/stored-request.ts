import { TextEncryption } from '../../crypto/encrypt-text.js';
import type { DeviceAuthorization } from '../../features/device-authorization/device-model.js';

/** What is kept of a request beside what is kept of any that waits for its user. */
export interface StoredBackchannelRequest {
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
export const storageKeyOf = (text: string): string => `\tciba ${text}`;

export const storedRequestIn = (row: DeviceAuthorization): StoredBackchannelRequest | undefined =>
  row['backchannel'] as StoredBackchannelRequest | undefined;

// Of the id only a digest is kept.
const encryptionFor = (id: string) => new TextEncryption([id], 'CIBA ping');

export const encryptPing = (secret: PingSecret, id: string): string =>
  encryptionFor(id).encrypt(JSON.stringify(secret));

export function decryptPing(encrypted: string, id: string): PingSecret | undefined {
  const text = encryptionFor(id).decrypt(encrypted);
  return text === undefined ? undefined : (JSON.parse(text) as PingSecret);
}
