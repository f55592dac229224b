import { newGrantId } from '../../tokens/opaque.js';

const PREFIX = 'dcr_';

/** Generates a random ID for a client that registers itself. It is not a secret, and never a URL. CIMD §7.1 */
export const newClientId = () => PREFIX + newGrantId();

/** Whether a client ID has the prefix of IDs that dynamic client registration generates. */
export const isRegisteredId = (id: string): boolean => id.startsWith(PREFIX);
