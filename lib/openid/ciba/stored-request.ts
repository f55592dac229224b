import { TextEncryption } from '../../crypto/encrypt-text.js';
import type { DeviceAuthorization } from '../../features/device-authorization/device-model.js';

/** The properties of a backchannel request that are stored in addition to those of a device authorization. */
export interface StoredBackchannelRequest {
  /** The ID of the user who has to decide. */
  sub: string;
  acrValues: readonly string[];
  bindingMessage?: string;
  /**
   * The encrypted data with which the client is notified. Decrypting it requires the ID of the request, which is not
   * stored.
   */
  ping?: string;
}

/** The data with which a client in `ping` mode is notified. CIBA §10.2 */
export interface PingSecret {
  authReqId: string;
  token: string;
}

/**
 * Returns the key under which the model stores a request. A device cannot send it and a user cannot type it as a code,
 * because it starts with a tab.
 */
export const storageKeyOf = (text: string): string => `\tciba ${text}`;

export const storedRequestIn = (row: DeviceAuthorization): StoredBackchannelRequest | undefined =>
  row['backchannel'] as StoredBackchannelRequest | undefined;

// The id itself is not stored, so the encrypted data cannot be read from the store alone.
const encryptionFor = (id: string) => new TextEncryption([id], 'CIBA ping');

export const encryptPing = (secret: PingSecret, id: string): string =>
  encryptionFor(id).encrypt(JSON.stringify(secret));

export function decryptPing(encrypted: string, id: string): PingSecret | undefined {
  const text = encryptionFor(id).decrypt(encrypted);
  return text === undefined ? undefined : (JSON.parse(text) as PingSecret);
}
