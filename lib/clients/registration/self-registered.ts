import type { CoreClient } from '../../model/model.js';
import { isRegisteredId } from './client-id.js';

/**
 * Whether a client registered itself (RFC 7591) or has a client ID metadata document. Its redirect URIs may belong to
 * an attacker, so errors are not redirected there before the user is authenticated. RFC 9700 §4.11.2
 */
export const isSelfRegistered = ({ id, clientIdHost }: CoreClient): boolean =>
  clientIdHost !== undefined || (typeof id === 'string' && isRegisteredId(id));
