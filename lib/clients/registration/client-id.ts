import { newGrantId } from '../../tokens/opaque.js';

const PREFIX = 'dcr_';

/** An id for a client that registers itself: it is no secret, and never a URL. CIMD §7.1 */
export const newClientId = () => PREFIX + newGrantId();

/** May a client of this id have registered itself? */
export const isRegisteredId = (id: string): boolean => id.startsWith(PREFIX);
