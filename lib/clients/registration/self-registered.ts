import type { CoreClient } from '../../model/model.js';
import { isRegisteredId } from './client-id.js';

/**
 * Whether a client has registered itself (RFC 7591) or is described by its client ID metadata document. The redirect URIs of such a
 * client may belong to an attacker, so a browser is not redirected there before its user is authenticated. RFC 9700 §4.11.2
 */
export const isSelfRegistered = ({ id, clientIdHost }: CoreClient): boolean =>
  clientIdHost !== undefined || (typeof id === 'string' && isRegisteredId(id));
